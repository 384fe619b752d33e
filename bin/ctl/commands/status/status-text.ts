/** A snapshot as text: the health, then the details, most important first. */
import type { SecondWalk, WaitingWithdrawals } from '../../../../lambda/ports.ts';
import type { StreamName } from '../../../../lambda/streams.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import type { MetricAlarmStatus } from '../../alarms.ts';
import { joinTexts, type PaintedText, paint, painted, type ReportText } from '../../painted.ts';
import { readResultText, valueIfRead } from '../../read-result.ts';
import { type LeaseState, WAITING_CAUSES } from '../../state.ts';
import { durationText, tableText, timeText } from '../../text.ts';
import { deadLetterCountText, type QueueDepth } from '../dead-letters/counts.ts';
import { alarmsInAlarm, type Health, healthText, type StreamSummary, streamSummaries } from './health.ts';
import type { Snapshot, StreamActivity } from './snapshot.ts';

export const STATUS_PAINT = {
  unhealthy: paint.bad,
  paused: paint.unconfirmed,
  'in progress': paint.unconfirmed,
  healthy: paint.good,
} as const;

const FIND_CAUSE = `  "${CONNECTORCTL.command} doctor" checks every part, and says what to do.`;

export function statusText(snapshot: Snapshot, health: Health): PaintedText {
  const { connector, stackName, stackStatus, version } = snapshot.deployment;
  const streams = streamSummaries(snapshot);
  return joinTexts([
    painted`${connector}: ${STATUS_PAINT[health.status](healthText(health))}`,
    ...alarmsInAlarm(snapshot).flatMap(alarm => alarmLines(alarm, snapshot.now)),
    ...failureLines(snapshot),
    ...(health.status === 'unhealthy' ? [FIND_CAUSE] : []),
    '',
    streamTable(snapshot, streams),
    '',
    ...streams.flatMap(({ saved }) => (saved instanceof Error ? [saved.message] : [])),
    ...surroundings(snapshot),
    `Stack     ${stackName}, ${stackStatus}, version ${version}`,
  ]);
}

function alarmLines({ name, severity, since, meaning, first, runbook, ends }: MetricAlarmStatus, now: number) {
  const time = since === undefined ? '' : `, since ${timeText(since)}, ${durationText(now - since)}`;
  return [
    painted`  ${severity ?? 'alarm'}: ${paint.bad(name)}${time}`,
    ...(meaning ? [`    ${meaning}`] : []),
    ...(first ? [`    → ${first}`] : []),
    `    It ends ${endText(ends)}.${runbook ? ` ${runbook}` : ''}`,
  ];
}

function endText({ withGoodReport, seconds = 0 }: MetricAlarmStatus['ends']): string {
  const good = withGoodReport ? ['with the first good report'] : [];
  const later = seconds > 0 ? [`${durationText(seconds * 1000)} after the last report of the problem`] : [];
  return [...good, ...later].join(', or ');
}

/** Largest number of kinds of failures to show. */
const SHOWN_FAILURES = 3;

function failureLines({ failures, now }: Snapshot): ReportText[] {
  if (!failures) return [];
  if ('notReadable' in failures) return [`  Last failures: ${readResultText(failures, String)}`];
  const groups = failures.value;
  if (groups.length === 0) return ['  Last failures: none in the log of the last 3 hours'];

  const shown = groups.slice(0, SHOWN_FAILURES).flatMap(({ count, time, stream = 'run', error, what, advice }) => {
    const times = count === 1 ? '' : `, ${count} times in 3 hours`;
    const failed = painted`  Failed ${durationText(now - time)} ago${times}: ${stream}, ${paint.bad(error)}: ${what}`;
    return [failed, `    → ${advice}`];
  });
  const more = groups.length - SHOWN_FAILURES;
  const rest = `  ${more} more kinds of failures: the saved query of the connector in CloudWatch Logs Insights shows them.`;
  return more > 0 ? [...shown, rest] : shown;
}

function streamTable(snapshot: Snapshot, streams: readonly StreamSummary[]): string {
  // The column is shown only if a filter has excluded rows.
  const isFiltered = streams.some(({ activity }) => (activity?.counts.filtered ?? 0) > 0);
  const titles = ['forwarded', ...(isFiltered ? ['filtered'] : []), 'other'];
  const rows = streams.map(({ stream, condition, activity }) => {
    const counted = valueIfRead(snapshot.deadLetters)?.get(stream);
    const success = activity ? successText(activity.caughtUp, snapshot.now) : '?';
    const cells = activity ? countCells(activity.counts, isFiltered) : Array(titles.length + 2).fill('?');
    return [stream, condition, success, ...cells, counted ? deadLetterCountText(counted) : '?'];
  });

  const filterErrors = streams.flatMap(({ stream, activity }) => {
    const count = activity?.counts.filterErrors ?? 0;
    const text = `The filter of ${stream} failed or did not return a boolean for ${count} rows, which were sent. See docs/filters.md.`;
    return count > 0 ? [text] : [];
  });
  const unread = [snapshot.activity, snapshot.deadLetters, snapshot.off].flatMap(part =>
    'notReadable' in part ? [readResultText(part, String)] : [],
  );
  return [
    tableText(['stream', 'state', 'last success', 'read', ...titles, 'withdrawn', 'dead letters'], rows),
    `Rows of the last 24 hours: read = ${titles.join(' + ')}. Dead letters are counted in the bucket.`,
    'Other: duplicates, superseded in their page, tombstones of unknown assets, dead letters, and rows that a failed run did not commit.',
    ...filterErrors,
    ...unread,
  ].join('\n');
}

/**
 * Counts of rows. The metric EventsForwarded includes withdrawals, which are not rows, and
 * refreshed rows, which are not read from the list.
 */
function countCells({ read, filtered, withdrawn, ...counts }: StreamActivity['counts'], isFiltered: boolean): string[] {
  const forwarded = counts.forwarded - withdrawn - counts.refreshed;
  const other = Math.max(0, read - forwarded - filtered);
  return [read, forwarded, ...(isFiltered ? [filtered] : []), other, withdrawn].map(String);
}

/**
 * Age of the last success. It is shown from two minutes on, because metrics have a resolution of
 * one minute.
 */
function successText(caughtUp: number | undefined, now: number): string {
  if (caughtUp === undefined) return 'none in 24 h';
  const age = now - caughtUp;
  return age < 120_000 ? 'just now' : `${durationText(age)} ago`;
}

function surroundings(snapshot: Snapshot): string[] {
  const { activity, schedule, siem, readers, alarms, state, now } = snapshot;
  const withdrawals = [...(valueIfRead(state)?.withdrawals ?? [])].filter(([, count]) => count > 0);
  const firing = alarmsInAlarm(snapshot).length;
  const alarmed = firing === 0 ? 'none in alarm' : `${firing} in alarm`;
  const freshness = valueIfRead(activity)?.freshnessSeconds;
  const failedStarts = readResultText(snapshot.scheduleDeadLetters, messagesText);
  return [
    ...secondWalkLines(snapshot),
    ...withdrawals.map(([name, count]) => `Removed ${name} with threats to withdraw: ${count}`),
    `Alarms    ${readResultText(alarms, ({ notifiers }) =>
      notifiers.every(({ notifies }) => notifies)
        ? `${alarmed}, notifications on`
        : `${alarmed}, muted: nobody is notified`,
    )}`,
    `Schedule  ${readResultText(schedule, ({ enabled, expression }) => (enabled ? `on, ${expression}` : 'off: paused'))}`,
    `Lease     ${readResultText(state, ({ lease }) => leaseText(lease, now))}`,
    `Firehose  ${freshness === undefined ? 'no data in 3 hours' : `the oldest undelivered event is ${durationText(freshness * 1000)} old`}`,
    ...(siem ? [`SIEM      ${siemText(siem, valueIfRead(activity)?.oldestNotificationSeconds)}`] : []),
    ...readers.map(reader => `${reader.name.padEnd(9)} ${siemText(reader, undefined)}`),
    ...(failedStarts === '0' ? [] : [`Failed starts of the function: ${failedStarts}`]),
  ];
}

const PHASES: Readonly<Record<SecondWalk['phase'], string>> = {
  read: 'first pass',
  withdraw: 'repeat of withdrawals',
  confirm: 'second pass',
  sweep: 'withdrawal of rows that are not listed',
};

/**
 * Returns a line for each stream with waiting withdrawals or with a second walk in progress.
 */
function secondWalkLines({ state, now }: Snapshot): string[] {
  return [...(valueIfRead(state)?.streams ?? [])].flatMap(([stream, saved]) => {
    const second = saved instanceof Error ? undefined : saved.checkpoint.second;
    if (!second) return [];
    if (second.waiting) return [waitingText(stream, second, second.waiting)];

    const { phase, rows, notBefore } = second;
    const wait = notBefore > now ? `, begins in ${durationText(notBefore - now)}` : `, ${rows} rows listed`;
    const isPass = phase === 'read' || phase === 'confirm';
    return [`${stream} are read again from the beginning: ${PHASES[phase]}${isPass ? wait : ''}`];
  });
}

/**
 * Text about waiting withdrawals, for example "Withdrawals wait: 65 threats, because the filter
 * excludes them. 65 were withdrawn before. …".
 */
function waitingText(
  stream: StreamName,
  { withdrawn }: SecondWalk,
  { own, children, reason }: WaitingWithdrawals,
): string {
  const below = children > 0 ? `, with ${children} of their threats` : '';
  return (
    `Withdrawals wait: ${own} ${stream}${below}, because ${WAITING_CAUSES[reason]}. ${withdrawn.own} were withdrawn before. ` +
    `New changes are sent. "${CONNECTORCTL.command} confirm withdrawals" shows the decision to make.`
  );
}

function siemText({ queue, deadLetters }: NonNullable<Snapshot['siem']>, oldest: number | undefined): string {
  const age = oldest ? `, the oldest for ${durationText(oldest * 1000)}` : '';
  const depth = readResultText(queue, ({ waiting, taken, testMessages }) =>
    testMessages > 0
      ? 'no object waiting: the bucket holds no event, and the queue holds the test message of S3'
      : `${waiting} objects waiting${age}, ${taken} being read`,
  );
  return `${depth}, dead letters: ${readResultText(deadLetters, messagesText)}`;
}

function messagesText({ waiting, taken }: QueueDepth): string {
  return String(waiting + taken);
}

export function leaseText(lease: LeaseState | undefined, now: number): string {
  if (!lease) return 'never taken: no run has used this table yet';
  const { epoch, holder, held, expires, ended } = lease;
  if (held) return `held by ${holder}, epoch ${epoch}, for ${durationText(expires - now)} more unless renewed`;
  if (ended === 'no') return `free, epoch ${epoch}; its run was killed and the lease expired ${timeText(expires)}`;
  return `free, epoch ${epoch}; the last run ended ${ended === 'clean' ? 'cleanly' : 'within a batch, which the next run finishes'}`;
}
