import type { StreamCounts } from './metric-tally.ts';
import { grouped } from './progress.ts';

type Line = readonly [title: string, count: (counts: StreamCounts) => number];

/** Each row that was read is counted in exactly one of these. */
const OUTCOMES: readonly Line[] = [
  // A row beyond the bound of a record is a dead letter. The small event that points to it is counted below.
  ['forwarded', counts => counts.EventsForwarded - counts.ThreatsWithdrawn - counts.OversizeEvents],
  ['suppressed', counts => counts.RowsDeduplicated],
  ['superseded', counts => counts.RowsSuperseded],
  ['ignored', counts => counts.TombstonesIgnored],
  ['dead letters', counts => counts.DeadLetters],
];

/** What a failed or interrupted run read but did not finish. */
const UNFINISHED: Line = [
  'not finished',
  counts => counts.RowsRead - OUTCOMES.reduce((sum, [, count]) => sum + count(counts), 0),
];

/** Neither is a row of its own: withdrawals are events without one. */
const EVENTS: readonly Line[] = [
  ['tombstones', counts => counts.Tombstones],
  ['withdrawn', counts => counts.ThreatsWithdrawn],
  ['oversize events', counts => counts.OversizeEvents],
];

const TITLE_WIDTH = 'oversize events'.length;

/**
 * What became of the rows: a column for each stream, and one for all. At most 60 columns wide.
 *
 *     read = forwarded + suppressed + superseded + ignored + dead letters (+ not finished)
 */
export function summaryTable(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string {
  const names = [...streams, 'all'];
  const figures = (count: Line[1]) => {
    const each = streams.map(stream => count(countsOf(stream)));
    return [...each, each.reduce((sum, figure) => sum + figure, 0)];
  };
  const isZero = ([, count]: Line) => figures(count).every(figure => figure === 0);
  const outcomes = [...OUTCOMES, ...(isZero(UNFINISHED) ? [] : [UNFINISHED])];
  const lines: Line[] = [
    ['read', counts => counts.RowsRead],
    ...outcomes.map(indented),
    ...EVENTS.filter(([title, count]) => title !== 'oversize events' || !isZero([title, count])),
  ];
  const cells = lines.map(([title, count]) => [title, figures(count).map(grouped)] as const);
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map(([, texts]) => texts[column]!.length)));
  const line = (title: string, texts: readonly string[]) =>
    [title.padEnd(TITLE_WIDTH), ...texts.map((text, column) => text.padStart(widths[column]!))].join('  ');
  const head = line('rows', names);
  const rule = '-'.repeat(head.length);
  const shown = cells.map(([title, texts]) => line(title, texts));
  return [head, rule, ...shown.slice(0, outcomes.length + 1), rule, ...shown.slice(outcomes.length + 1)].join('\n');
}

function indented([title, count]: Line): Line {
  return [`${title === OUTCOMES[0]![0] ? '=' : '+'} ${title}`, count];
}

/** What the words of the table mean, for those that count something. */
export function summaryLegend(streams: readonly string[], countsOf: (stream: string) => StreamCounts): string[] {
  const isUsed = (count: Line[1]) => streams.some(stream => count(countsOf(stream)) !== 0);
  return LEGEND.flatMap(([title, text]) => {
    const found = [...OUTCOMES, UNFINISHED, ...EVENTS].find(([each]) => each === title);
    return found && isUsed(found[1]) ? [`${title}: ${text}`] : [];
  });
}

const LEGEND = [
  ['suppressed', 'the SIEM already has these rows.'],
  ['superseded', 'a later row of the same page replaced them.'],
  ['ignored', 'tombstones of assets that were never sent.'],
  ['dead letters', 'rows that cannot be events. They are kept.'],
  ['not finished', 'nothing is lost. The next run reads them again.'],
  ['tombstones', 'among the forwarded rows.'],
] as const;
