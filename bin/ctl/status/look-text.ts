/** A look for people: the verdict, then what explains it, most important first. */
import type { Notifier } from '../alarms/read-alarms.ts';
import { paint } from '../report/paint.ts';
import { tableText } from '../report/table-text.ts';
import { durationText } from '../report/time-text.ts';
import { leaseText, MEMORY_TITLES, memoryRows } from '../state/state-text.ts';
import type { StreamActivity } from './activity.ts';
import { deadLetterText } from './dead-letter-count.ts';
import type { Look } from './look.ts';
import type { QueueDepth } from './queue-depth.ts';
import { known, type ReadResult, readingText } from './reading.ts';
import { type StreamLook, streamLooks } from './stream-condition.ts';
import { inAlarm, type Result, resultText } from './verdict.ts';

const PAINT = {
  unhealthy: paint.bad,
  paused: paint.unconfirmed,
  'in progress': paint.unconfirmed,
  healthy: paint.good,
} as const;

export function lookText(look: Look, result: Result): string {
  const { connector, stackName, stackStatus, version } = look.deployment;
  const streams = streamLooks(look);
  const parts = [
    `${connector}: ${PAINT[result.word](resultText(result))}`,
    ...alarmLines(look),
    '',
    streamTable(look, streams),
    '',
    ...damageLines(streams),
    ...withdrawalLines(look),
    ...surroundings(look),
    `Stack     ${stackName}, ${stackStatus}, version ${version}`,
    '',
    memoryTable(look),
  ];
  return parts.join('\n');
}

function alarmLines(look: Look): string[] {
  return inAlarm(look).map(({ name, urgency = 'alarm', since, runbook }) => {
    const long = since === undefined ? '' : `, for ${durationText(look.now - since)}`;
    return `  ${urgency}: ${name}${long}${runbook ? `: ${runbook}` : ''}`;
  });
}

const TITLES = [
  'stream',
  'state',
  'last success',
  'read',
  'forwarded',
  'suppressed',
  'other',
  'withdrawn',
  'dead letters',
];

function streamTable(look: Look, streams: readonly StreamLook[]): string {
  const rows = streams.map(({ stream, condition, activity }) => {
    const counts = activity?.counts;
    const letters = known(look.deadLetters)?.get(stream);
    const dead = letters ? deadLetterText(letters) : '?';
    const success = successText(activity?.drained, look.now, activity !== undefined);
    return [stream, condition, success, ...(counts ? countCells(counts) : Array(5).fill('?')), dead];
  });
  const notes = [
    'Rows of the last 24 hours: read = forwarded + suppressed + other. Dead letters in the bucket.',
    'Other: superseded in their page, tombstones of unknown assets, dead letters, and rows that a failed run did not commit.',
  ];
  for (const part of [look.activity, look.deadLetters, look.off])
    if ('notReadable' in part) notes.push(readingText(part, String));
  return [tableText(TITLES, rows), ...notes].join('\n');
}

/** The metric of what was forwarded counts withdrawals too, which are no rows. */
function countCells({ read, forwarded, suppressed, withdrawn }: StreamActivity['counts']): string[] {
  const rows = forwarded - withdrawn;
  return [read, rows, suppressed, Math.max(0, read - rows - suppressed), withdrawn].map(String);
}

/** To the minute, which is as fine as metrics are. */
function successText(drained: number | undefined, now: number, readable: boolean): string {
  if (drained === undefined) return readable ? 'none in 24 h' : '?';
  const age = now - drained;
  return age < 120_000 ? 'just now' : `${durationText(age)} ago`;
}

function damageLines(streams: readonly StreamLook[]): string[] {
  return streams.flatMap(({ memory }) => (memory instanceof Error ? [memory.message] : []));
}

function withdrawalLines({ state }: Look): string[] {
  const listed = [...(known(state)?.withdrawals ?? [])].filter(([, count]) => count > 0);
  return listed.map(([name, count]) => `Removed ${name} whose threats are still to be withdrawn: ${count}`);
}

function surroundings(look: Look): string[] {
  const { activity, schedule, siem, alarms, state, now } = look;
  const freshness = known(activity)?.freshnessSeconds;
  return [
    `Alarms    ${readingText(alarms, ({ notifiers }) => notifiersText(look, notifiers))}`,
    `Schedule  ${readingText(schedule, ({ enabled, expression }) => (enabled ? `on, ${expression}` : 'off: paused'))}`,
    `Lease     ${readingText(state, ({ lease }) => leaseText(lease, now))}`,
    `Firehose  ${freshness === undefined ? 'nothing told in 3 hours' : `the oldest undelivered event is ${durationText(freshness * 1000)} old`}`,
    ...(siem
      ? [`SIEM      ${siemText(siem.queue, siem.deadLetters, known(activity)?.oldestAnnouncementSeconds)}`]
      : []),
    ...scheduleDeadLetters(look),
  ];
}

function notifiersText(look: Look, notifiers: readonly Notifier[]): string {
  const count = inAlarm(look).length;
  const state = count === 0 ? 'none in alarm' : `${count} in alarm`;
  return notifiers.some(each => !each.tells)
    ? `${state}; muted: nobody is told`
    : `${state}; page and ticket tell people`;
}

function siemText(
  queue: ReadResult<QueueDepth>,
  deadLetters: ReadResult<QueueDepth>,
  oldest: number | undefined,
): string {
  const age = oldest ? `, the oldest for ${durationText(oldest * 1000)}` : '';
  const depth = readingText(queue, ({ waiting, taken, testMessages }) => {
    if (testMessages > 0)
      return 'no object waits: the bucket holds no event, and the queue holds the test message of S3';
    return `${waiting} objects wait${age}, ${taken} are being read`;
  });
  return `${depth}; given up: ${readingText(deadLetters, ({ waiting, taken }) => String(waiting + taken))}`;
}

function scheduleDeadLetters({ scheduleDeadLetters: queue }: Look): string[] {
  const count = readingText(queue, ({ waiting, taken }) => String(waiting + taken));
  return count === '0' ? [] : [`Starts that could not be handed over: ${count}`];
}

function memoryTable({ state, off }: Look): string {
  return readingText(state, ({ streams }) => tableText(MEMORY_TITLES, memoryRows(streams, known(off) ?? [])));
}
