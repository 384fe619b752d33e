import type { StreamResult } from '../../../lambda/core/run.ts';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { tableText } from '../report/table-text.ts';

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

/** What a run did, a line a stream, and whether there is more. @param paused whether no run goes on with that by itself */
export function resultText({ streams, more }: InvocationResult, paused = false): string {
  const rows = Object.entries(streams).map(([name, result]) => [
    name,
    ...COLUMNS.map(([, cell]) => String(cell(result))),
  ]);
  const table = tableText(['stream', ...COLUMNS.map(([title]) => title)], rows);
  if (!more) return table;
  const next = paused
    ? 'The schedule is off, so nothing goes on by itself: "connectorctl run --until-done" does, or "connectorctl resume".'
    : 'The schedule goes on from there by itself; "connectorctl run --until-done" waits for it.';
  return `${table}\n\nThe time ended before the streams did. ${next}`;
}
