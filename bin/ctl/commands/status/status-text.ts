/** A snapshot as text: the health, then the details, most important first. */
import type { SavedStream } from '../../../../lambda/ports.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import type { AlarmEnd, Notifier } from '../../alarms.ts';
import type { FailureGroup } from '../../failures.ts';
import { joined, type Painted, paint, painted, type Text } from '../../painted.ts';
import { known, type ReadResult, readResultText } from '../../read-result.ts';
import { type LeaseState, unconfirmed } from '../../state.ts';
import { durationText, tableText, timeText } from '../../text.ts';
import { deadLetterText, type QueueDepth } from '../dead-letters/counts.ts';
import { type Health, healthText, inAlarm, type StreamSummary, streamSummaries } from './health.ts';
import type { Snapshot, StreamActivity } from './snapshot.ts';

export const PAINT = {
  unhealthy: paint.bad,
  paused: paint.unconfirmed,
  'in progress': paint.unconfirmed,
  healthy: paint.good,
} as const;

const FIND_CAUSE = `  "${CONNECTORCTL.command} doctor" checks every part, and says what to do.`;

export function statusText(snapshot: Snapshot, health: Health): Painted {
  const { connector, stackName, stackStatus, version } = snapshot.deployment;
  const streams = streamSummaries(snapshot);
  const parts = [
    painted`${connector}: ${PAINT[health.status](healthText(health))}`,
    ...alarmLines(snapshot),
    ...failureLines(snapshot),
    ...(health.status === 'unhealthy' ? [FIND_CAUSE] : []),
    '',
    streamTable(snapshot, streams),
    '',
    ...damageLines(streams),
    ...withdrawalLines(snapshot),
    ...surroundings(snapshot),
    `Stack     ${stackName}, ${stackStatus}, version ${version}`,
    ...stateTable(snapshot),
  ];
  return joined(parts);
}

function alarmLines(snapshot: Snapshot): Text[] {
  return inAlarm(snapshot).flatMap(({ name, severity = 'alarm', since, meaning, first, runbook, ends }) => [
    painted`  ${severity}: ${paint.bad(name)}${since === undefined ? '' : `, since ${timeText(since)}, ${durationText(snapshot.now - since)}`}`,
    ...(meaning ? [`    ${meaning}`] : []),
    ...(first ? [`    → ${first}`] : []),
    `    It ends ${endText(ends)}.${runbook ? ` ${runbook}` : ''}`,
  ]);
}

function endText({ withGoodReport, seconds }: AlarmEnd): string {
  const [good, later] = [
    'with the first good report',
    `${durationText((seconds ?? 0) * 1000)} after the last report of the fault`,
  ];
  if (!withGoodReport) return later;
  return seconds === undefined ? good : `${good}, or ${later}`;
}

/** Kinds of failures that are shown. */
const SHOWN_FAILURES = 3;

function failureLines({ failures, now }: Snapshot): Text[] {
  if (!failures) return [];
  if ('notReadable' in failures) return [`  Last failures: ${readResultText(failures, String)}`];
  const groups = failures.value;
  if (groups.length === 0) return ['  Last failures: none in the log of the last 3 hours'];
  const more = groups.length - SHOWN_FAILURES;
  return [
    ...groups.slice(0, SHOWN_FAILURES).flatMap(group => failureText(group, now)),
    ...(more > 0
      ? [`  ${more} more kinds of failures: the saved query of the connector in CloudWatch Logs Insights shows them.`]
      : []),
  ];
}

function failureText({ count, time, stream = 'run', error, what, advice }: FailureGroup, now: number): Text[] {
  const times = count === 1 ? '' : `, ${count} times in 3 hours`;
  return [
    painted`  Failed ${durationText(now - time)} ago${times}: ${stream}, ${paint.bad(error)}: ${what}`,
    `    → ${advice}`,
  ];
}

type Counts = StreamActivity['counts'];

function streamTable(snapshot: Snapshot, streams: readonly StreamSummary[]): string {
  // Only with filters are there filtered rows.
  const isFiltered = streams.some(({ activity }) => (activity?.counts.filtered ?? 0) > 0);
  const titles = ['forwarded', ...(isFiltered ? ['filtered'] : []), 'other'];
  const rows = streams.map(({ stream, condition, activity }) => {
    const counts = activity?.counts;
    const deadLetters = known(snapshot.deadLetters)?.get(stream);
    const dead = deadLetters ? deadLetterText(deadLetters) : '?';
    const success = successText(activity?.caughtUp, snapshot.now, activity !== undefined);
    const cells = counts ? countCells(counts, isFiltered) : Array(titles.length + 2).fill('?');
    return [stream, condition, success, ...cells, dead];
  });
  const notes = [
    `Rows of the last 24 hours: read = ${titles.join(' + ')}. The dead letters are those in the bucket.`,
    'Other: duplicates, superseded in their page, tombstones of unknown assets, dead letters, and rows that a failed run did not commit.',
    ...streams.flatMap(({ stream, activity }) => filterFaultText(stream, activity)),
  ];
  for (const part of [snapshot.activity, snapshot.deadLetters, snapshot.off])
    if ('notReadable' in part) notes.push(readResultText(part, String));
  const head = ['stream', 'state', 'last success', 'read', ...titles, 'withdrawn', 'dead letters'];
  return [tableText(head, rows), ...notes].join('\n');
}

/** The metric EventsForwarded includes withdrawals, which are not rows, and refreshed rows, which are not read from the list. */
function countCells({ read, filtered, withdrawn, ...counts }: Counts, isFiltered: boolean): string[] {
  const forwarded = counts.forwarded - withdrawn - counts.refreshed;
  const other = Math.max(0, read - forwarded - filtered);
  return [read, forwarded, ...(isFiltered ? [filtered] : []), other, withdrawn].map(String);
}

function filterFaultText(stream: string, activity: StreamActivity | undefined): string[] {
  const faults = activity?.counts.filterFaults ?? 0;
  if (faults === 0) return [];
  return [
    `The filter of ${stream} gave an error or no boolean for ${faults} rows, which were sent. See docs/filters.md.`,
  ];
}

/** Metrics have a resolution of one minute. */
function successText(caughtUp: number | undefined, now: number, readable: boolean): string {
  if (caughtUp === undefined) return readable ? 'none in 24 h' : '?';
  const age = now - caughtUp;
  return age < 120_000 ? 'just now' : `${durationText(age)} ago`;
}

function damageLines(streams: readonly StreamSummary[]): string[] {
  return streams.flatMap(({ saved }) => (saved instanceof Error ? [saved.message] : []));
}

function withdrawalLines({ state }: Snapshot): string[] {
  const listed = [...(known(state)?.withdrawals ?? [])].filter(([, count]) => count > 0);
  return listed.map(([name, count]) => `Removed ${name} with threats to withdraw: ${count}`);
}

function surroundings(snapshot: Snapshot): string[] {
  const { activity, schedule, siem, alarms, state, now } = snapshot;
  const freshness = known(activity)?.freshnessSeconds;
  return [
    `Alarms    ${readResultText(alarms, ({ notifiers }) => notifiersText(snapshot, notifiers))}`,
    `Schedule  ${readResultText(schedule, ({ enabled, expression }) => (enabled ? `on, ${expression}` : 'off: paused'))}`,
    `Lease     ${readResultText(state, ({ lease }) => leaseText(lease, now))}`,
    `Firehose  ${freshness === undefined ? 'no data in 3 hours' : `the oldest undelivered event is ${durationText(freshness * 1000)} old`}`,
    ...(siem
      ? [`SIEM      ${siemText(siem.queue, siem.deadLetters, known(activity)?.oldestNotificationSeconds)}`]
      : []),
    ...scheduleDeadLetters(snapshot),
  ];
}

function notifiersText(snapshot: Snapshot, notifiers: readonly Notifier[]): string {
  const count = inAlarm(snapshot).length;
  const state = count === 0 ? 'none in alarm' : `${count} in alarm`;
  return notifiers.some(each => !each.notifies) ? `${state}, muted: nobody is notified` : `${state}, notifications on`;
}

function siemText(
  queue: ReadResult<QueueDepth>,
  deadLetters: ReadResult<QueueDepth>,
  oldest: number | undefined,
): string {
  const age = oldest ? `, the oldest for ${durationText(oldest * 1000)}` : '';
  const depth = readResultText(queue, ({ waiting, taken, testMessages }) => {
    if (testMessages > 0)
      return 'no object waiting: the bucket holds no event, and the queue holds the test message of S3';
    return `${waiting} objects waiting${age}, ${taken} being read`;
  });
  return `${depth}, dead letters: ${readResultText(deadLetters, ({ waiting, taken }) => String(waiting + taken))}`;
}

function scheduleDeadLetters({ scheduleDeadLetters: queue }: Snapshot): string[] {
  const count = readResultText(queue, ({ waiting, taken }) => String(waiting + taken));
  return count === '0' ? [] : [`Failed starts of the function: ${count}`];
}

export function leaseText(lease: LeaseState | undefined, now: number): string {
  if (!lease) return 'never taken: no run has used this table yet';
  const { epoch, holder, held, expires, ended } = lease;
  if (held) return `held by ${holder}, epoch ${epoch}, for ${durationText(expires - now)} more unless renewed`;
  if (ended === 'no') return `free, epoch ${epoch}; its run was killed and the lease expired ${timeText(expires)}`;
  return `free, epoch ${epoch}; the last run ended ${ended === 'clean' ? 'cleanly' : 'with unconfirmed events'}`;
}

/** Column titles of the table of saved state. */
const STATE_TITLES = ['stream', 'cursor', 'committed sequence', 'window', 'generation', 'unconfirmed'];

/** Empty if the table cannot be read: the line about the lease gives the reason. */
function stateTable({ state, off }: Snapshot): string[] {
  const read = known(state);
  if (!read) return [];
  const rows = [...read.streams].map(([name, saved]) => [
    name,
    ...stateCells(saved, known(off)?.includes(name) === true),
  ]);
  return ['', tableText(STATE_TITLES, rows)];
}

function stateCells(saved: SavedStream | Error, isOff: boolean): string[] {
  if (saved instanceof Error) return ['unreadable', '', '', '', ''];
  const { cursor, committed, window, generation } = saved.checkpoint;
  if (isOff && cursor === undefined && committed === '') return ['off', '', '', '', ''];
  const cursorText = cursor === undefined ? 'none yet' : 'saved';
  return [cursorText, committed || 'none', String(window.length), String(generation), String(unconfirmed(saved))];
}
