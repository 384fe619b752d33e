/** Sends a command to the function, waits for the lease, and formats the result. */
import type { StreamResult } from '../../lambda/core/run.ts';
import type { InvocationResult } from '../../lambda/invocation.ts';
import { CONNECTORCTL } from '../../lib/installation.ts';
import type { Context } from './context.ts';
import { FunctionFailedError } from './errors.ts';
import { type FunctionCommand, invokeWhenFree } from './invoke.ts';
import type { CommandOutcome } from './report.ts';
import { scheduleIsOff } from './schedule.ts';
import { lostTableAdvice } from './state.ts';
import { tableText } from './text.ts';

export interface LeaseWaitOptions {
  /** Seconds to wait for the lease. */
  readonly wait: number;
}

/**
 * Sends a command, waits for the lease, and shows the result.
 *
 * @throws the errors of `invokeWhenFree`
 */
export async function sendCommand(
  context: Context,
  what: FunctionCommand,
  options: LeaseWaitOptions,
): Promise<CommandOutcome> {
  const invoked = invokeWhenFree(context, what, options.wait);
  const { result, seconds } = await invoked.catch((error: unknown) => explained(context, error));
  const paused = result.more && (await scheduleIsOff(context));
  return { text: runResultText(result, seconds, paused), json: { ...result, runSeconds: seconds } };
}

const ANOTHER_ORGANIZATION =
  'The credentials belong to another organization than the rows that the SIEM has. Nothing was sent. If that is intended: ' +
  `"${CONNECTORCTL.command} confirm organization". If not: "${CONNECTORCTL.command} set-credentials".`;

/**
 * Looks for a missing resource, because the function does not report AWS's answer.
 *
 * @throws the error with the explanation
 */
async function explained(context: Context, error: unknown): Promise<never> {
  if (!(error instanceof FunctionFailedError)) throw error;
  const { type, said } = error;
  const failed = `${type}: ${said}`;
  if (failed.includes('OrganizationChangedError')) throw new FunctionFailedError(type, said, ANOTHER_ORGANIZATION);
  const found: string[] = [];
  if (/StateError|LeaseLostError/.test(failed)) found.push(await lostTableAdvice(context));
  if (failed.includes('DeliveryError')) {
    // The import loads the client of Firehose, which is needed only after this error.
    const { lostDeliveryStreamAdvice } = await import('./delivery-stream.ts');
    found.push(await lostDeliveryStreamAdvice(context));
  }
  throw new FunctionFailedError(type, said, found.filter(Boolean).join('\n'));
}

/** Each row counts in exactly one of these columns, so the columns add up to the rows read. */
const ROW_OUTCOMES: readonly (readonly [title: string, count: (result: StreamResult) => number])[] = [
  // An oversize row counts as a dead letter, so its event is subtracted.
  ['forwarded', result => result.forwarded - result.oversize],
  ['duplicates', result => result.duplicates],
  ['superseded', result => result.superseded],
  ['unknown tombstones', result => result.unknownTombstones],
  ['filtered', result => result.filtered],
  ['dead letters', result => result.deadLetters],
];

const COLUMNS: readonly (readonly [title: string, cell: (result: StreamResult) => number | string])[] = [
  ['pages', result => result.pages],
  ['read', result => result.rows],
  ...ROW_OUTCOMES,
  ['withdrawn', result => result.withdrawn],
  ['caught up', result => (result.caughtUp ? 'yes' : 'not yet')],
];

/** @param seconds duration of the run @param paused whether the schedule is off */
export function runResultText({ streams, more }: InvocationResult, seconds: number, paused: boolean): string {
  // The column is shown only if a filter has excluded rows.
  const isFiltered = Object.values(streams).some(({ filtered }) => filtered > 0);
  const columns = isFiltered ? COLUMNS : COLUMNS.filter(([title]) => title !== 'filtered');
  const rows = Object.entries(streams).map(([name, result]) => [
    name,
    ...columns.map(([, cell]) => String(cell(result))),
  ]);
  // The duration is always in seconds, so that it can be compared with the limit of 900 s.
  const took = `The run took ${seconds.toFixed(seconds < 10 ? 1 : 0)} s.`;
  const notes = [...notesOf(Object.values(streams)), took].join('\n');
  const table = `${tableText(['stream', ...columns.map(([title]) => title)], rows)}\n\n${notes}`;
  if (!more) return table;
  const next = paused
    ? `The schedule is off, so no run continues by itself. Use "${CONNECTORCTL.command} run" or "${CONNECTORCTL.command} resume".`
    : 'The next scheduled run continues.';
  return `${table} The time budget ended before the streams were caught up. ${next}`;
}

/** Returns notes about the results for which the table does not have a column. */
function notesOf(results: readonly StreamResult[]): string[] {
  const sum = (count: (result: StreamResult) => number) => results.reduce((total, each) => total + count(each), 0);
  const oversize = sum(result => result.oversize);
  const errors = sum(result => result.filterErrors);
  const stalled = sum(({ caughtUp, stalledCursors }) => (caughtUp ? 0 : stalledCursors));
  const open = sum(result =>
    Math.max(0, result.rows - ROW_OUTCOMES.reduce((total, [, count]) => total + count(result), 0)),
  );
  return [
    ...(oversize > 0 ? [`Oversize rows, each forwarded as an oversize event: ${oversize}.`] : []),
    ...(stalled > 0
      ? ['The API led a walk back to a cursor that it had already followed: see stream-behind in docs/runbook.md.']
      : []),
    ...(errors > 0
      ? [`Rows for which a filter failed or did not return a boolean, which were sent: ${errors}. See docs/filters.md.`]
      : []),
    ...(open > 0 ? [`Rows read but not committed, which the next run reads again: ${open}.`] : []),
  ];
}
