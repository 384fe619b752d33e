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

/** What a run did, a line a stream, and whether there is more. */
export function resultText({ streams, more }: InvocationResult): string {
  const rows = Object.entries(streams).map(([name, result]) => [
    name,
    ...COLUMNS.map(([, cell]) => String(cell(result))),
  ]);
  const table = tableText(['stream', ...COLUMNS.map(([title]) => title)], rows);
  return more
    ? `${table}\n\nThe time ended before the streams did. The schedule goes on from there by itself; "connectorctl run --until-done" waits for it.`
    : table;
}
