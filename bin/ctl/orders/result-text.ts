import type { StreamResult } from '../../../lambda/core/run.ts';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { tableText } from '../report/table-text.ts';
import { runsText } from './timed-runs.ts';

/** What becomes of a row: exactly one of these, so that they add up to the rows read. */
const FATES: readonly (readonly [title: string, count: (result: StreamResult) => number])[] = [
  // The notice of an oversize row is an event of a dead letter.
  ['forwarded', result => result.forwarded - result.oversize],
  ['suppressed', result => result.suppressed],
  ['superseded', result => result.superseded],
  ['ignored tombstones', result => result.unseenTombstones],
  ['dead letters', result => result.deadLetters],
];

const COLUMNS: readonly (readonly [title: string, cell: (result: StreamResult) => number | string])[] = [
  ['pages', result => result.pages],
  ['read', result => result.rows],
  ...FATES,
  ['withdrawn', result => result.withdrawn],
  ['drained', result => (result.caughtUp ? 'yes' : 'not yet')],
];

/**
 * What an order did, a line a stream, how long its runs took, and whether there is more.
 *
 * @param seconds of each run @param paused whether no run goes on with the rest by itself
 */
export function resultText({ streams, more }: InvocationResult, seconds: readonly number[], paused: boolean): string {
  const rows = Object.entries(streams).map(([name, result]) => [
    name,
    ...COLUMNS.map(([, cell]) => String(cell(result))),
  ]);
  const notes = [...notesOf(Object.values(streams)), runsText(seconds)].join('\n');
  const table = `${tableText(['stream', ...COLUMNS.map(([title]) => title)], rows)}\n\n${notes}`;
  if (!more) return table;
  const next = paused
    ? 'The schedule is off, so nothing goes on by itself: "npm run connectorctl -- run --until-done" does, or "npm run connectorctl -- resume".'
    : 'The schedule goes on from there by itself; "npm run connectorctl -- run --until-done" waits for it.';
  return `${table} The time ended before the streams did. ${next}`;
}

/** What the columns do not say by themselves. */
function notesOf(results: readonly StreamResult[]): string[] {
  const sum = (count: (result: StreamResult) => number) => results.reduce((total, each) => total + count(each), 0);
  const oversize = sum(result => result.oversize);
  const open = sum(result => Math.max(0, result.rows - FATES.reduce((total, [, count]) => total + count(result), 0)));
  return [
    ...(oversize > 0 ? [`Oversize dead letters, of which a notice was forwarded: ${oversize}.`] : []),
    ...(open > 0 ? [`Rows read and not committed when the time ended, which the next run reads again: ${open}.`] : []),
  ];
}
