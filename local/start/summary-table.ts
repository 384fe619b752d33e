import type { StreamCounts } from './metric-tally.ts';
import { grouped } from './progress.ts';

const COLUMNS: readonly (readonly [title: string, count: (counts: StreamCounts) => number])[] = [
  ['read', counts => counts.RowsRead],
  // Withdrawals are events, but no rows: they have a column of their own.
  ['forwarded', counts => counts.EventsForwarded - counts.Withdrawn],
  ['suppressed', counts => counts.RowsSuppressed],
  ['tombstones', counts => counts.Tombstones],
  ['withdrawn', counts => counts.Withdrawn],
  ['dead letters', counts => counts.DeadLetters],
];

/** What became of the rows, a line a stream, and the sum. */
export function summaryTable(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string {
  const rows = streams.map(stream => COLUMNS.map(([, count]) => count(countsOf(stream))));
  const sums = COLUMNS.map((_, column) => rows.reduce((sum, row) => sum + row[column]!, 0));
  const cells = [...rows, sums].map(row => row.map(grouped));
  const names = [...streams, 'all'];
  const nameWidth = Math.max('stream'.length, ...names.map(name => name.length));
  const widths = COLUMNS.map(([title], column) => Math.max(title.length, ...cells.map(row => row[column]!.length)));
  const line = (name: string, texts: readonly string[]) =>
    [name.padEnd(nameWidth), ...texts.map((text, column) => text.padStart(widths[column]!))].join('  ');
  const head = line(
    'stream',
    COLUMNS.map(([title]) => title),
  );
  return [head, '-'.repeat(head.length), ...cells.map((row, index) => line(names[index]!, row))].join('\n');
}
