import type { StreamResult } from '../../../lambda/core/run.ts';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { tableText } from '../report/table-text.ts';
import { runsText } from './timed-runs.ts';

const COLUMNS: readonly (readonly [title: string, cell: (result: StreamResult) => number | string])[] = [
  ['pages', result => result.pages],
  ['read', result => result.rows],
  ['forwarded', result => result.forwarded],
  ['suppressed', result => result.suppressed],
  ['tombstones', result => result.tombstones],
  ['withdrawn', result => result.withdrawn],
  ['dead letters', result => result.deadLetters],
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
  const table = `${tableText(['stream', ...COLUMNS.map(([title]) => title)], rows)}\n\n${runsText(seconds)}`;
  if (!more) return table;
  const next = paused
    ? 'The schedule is off, so nothing goes on by itself: "connectorctl run --until-done" does, or "connectorctl resume".'
    : 'The schedule goes on from there by itself; "connectorctl run --until-done" waits for it.';
  return `${table} The time ended before the streams did. ${next}`;
}
