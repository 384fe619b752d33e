/** Health of a deployment and of each stream, derived from a snapshot. */
import type { SavedStream } from '../../../../lambda/ports.ts';
import { STREAMS } from '../../../../lambda/streams.ts';
import { SEVERITIES } from '../../../../lib/alarms/alarm-definition.ts';
import type { MetricAlarmStatus } from '../../alarms.ts';
import { isStackTroubled } from '../../deployment.ts';
import { valueIfRead } from '../../read-result.ts';
import { scheduleInterval } from '../../schedule.ts';
import { durationText } from '../../text.ts';
import type { Snapshot, StreamActivity } from './snapshot.ts';

export interface Health {
  readonly status: 'unhealthy' | 'paused' | 'in progress' | 'healthy';
  /** Reasons for the status, the most important first. Empty if healthy. */
  readonly reasons: readonly string[];
}

export function healthOf(snapshot: Snapshot): Health {
  const streams = streamSummaries(snapshot);
  const paused = valueIfRead(snapshot.schedule)?.enabled === false;
  const unhealthy = [
    ...alarmsInAlarm(snapshot).map(({ name }) => `alarm ${name}`),
    ...broken(streams, paused),
    ...late(streams, snapshot),
    ...stackTrouble(snapshot),
    ...(paused ? [] : silenced(snapshot)),
    ...hidden(snapshot),
  ];
  if (unhealthy.length > 0) return { status: 'unhealthy', reasons: unhealthy };
  if (paused) return { status: 'paused', reasons: ['the schedule is off'] };

  const inProgress = streams.filter(({ condition }) => condition === 'backfilling' || condition === 'never run');
  const reasons = inProgress.map(({ stream, condition }) => `${stream} ${condition}`);
  return { status: reasons.length > 0 ? 'in progress' : 'healthy', reasons };
}

export function healthText({ status, reasons }: Health): string {
  if (status === 'healthy') return 'healthy: every stream is caught up';
  return `${status}: ${reasons.join('; ')}`;
}

/** The alarms in state ALARM, critical alarms first. */
export function alarmsInAlarm({ alarms }: Snapshot): MetricAlarmStatus[] {
  const all = valueIfRead(alarms)?.alarms.filter(({ state }) => state === 'ALARM') ?? [];
  const rank = ({ severity }: MetricAlarmStatus) => (severity === 'critical' ? 0 : 1);
  return all.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Returns a reason for each stream that does not work. While the schedule is off, silent streams
 * are expected.
 */
function broken(streams: readonly StreamSummary[], paused: boolean): string[] {
  const kinds: StreamCondition[] = paused ? ['unreadable', 'failing'] : ['unreadable', 'failing', 'silent'];
  return kinds.flatMap(kind =>
    streams.filter(({ condition }) => condition === kind).map(({ stream }) => `${stream} ${kind}`),
  );
}

function late(streams: readonly StreamSummary[], { now, schedule }: Snapshot): string[] {
  const all = streams.filter(({ condition }) => condition === 'late');
  if (all.length === 0) return [];
  const age = now - Math.max(...all.map(({ activity }) => activity?.caughtUp ?? activity?.reported ?? 0));
  const rate = valueIfRead(schedule)?.expression;
  return [
    `${all.map(({ stream }) => stream).join(', ')} late: no run has reached the end for ${durationText(age)}, at ${rate}`,
  ];
}

/** A deployment in progress is healthy. A deployment that was rolled back needs attention. */
function stackTrouble({ deployment: { stackStatus } }: Snapshot): string[] {
  return isStackTroubled(stackStatus) ? [`stack ${stackStatus}`] : [];
}

/** Returns the problems because of which alarms cannot notify anybody. */
function silenced({ alarms }: Snapshot): string[] {
  const read = valueIfRead(alarms);
  if (!read) return [];
  const { notifiers } = read;
  const gone = SEVERITIES.filter(severity => !notifiers.some(({ name }) => name === severity));
  if (gone.length === SEVERITIES.length || read.alarms.length === 0) return ['the alarms are missing'];
  if (gone.length > 0) return [`the alarm ${gone.join(', ')} is missing`];
  return notifiers.some(({ notifies }) => !notifies) ? ['the alarms are muted'] : [];
}

/** Returns a reason for each part that cannot be read, because such a part may hide a problem. */
function hidden(snapshot: Snapshot): string[] {
  const parts = {
    settings: snapshot.off,
    table: snapshot.state,
    metrics: snapshot.activity,
    schedule: snapshot.schedule,
    alarms: snapshot.alarms,
    log: snapshot.failures,
    'dead letters': snapshot.deadLetters,
    'schedule dead-letter queue': snapshot.scheduleDeadLetters,
    'SIEM queue': snapshot.siem?.queue,
    'SIEM dead-letter queue': snapshot.siem?.deadLetters,
    ...Object.fromEntries(snapshot.readers.map(({ name, queue }) => [`queue of ${name}`, queue])),
  };
  return Object.entries(parts).flatMap(([name, part]) =>
    part && 'notReadable' in part ? [`${name} not readable`] : [],
  );
}

/**
 * Condition of a stream, which the help of `status` explains. `unknown` means that the metrics
 * cannot be read.
 */
export type StreamCondition =
  | 'caught up'
  | 'backfilling'
  | 'failing'
  | 'late'
  | 'unreadable'
  | 'silent'
  | 'never run'
  | 'off'
  | 'unknown';

export type StreamSummary = ReturnType<typeof streamSummaries>[number];

export function streamSummaries(snapshot: Snapshot) {
  const state = valueIfRead(snapshot.state);
  const off = valueIfRead(snapshot.off) ?? [];
  const running = state?.lease?.held === true;
  const limits = lateLimits(snapshot, running);
  return STREAMS.map(({ name }) => {
    const saved = state?.streams.get(name);
    const activity = valueIfRead(snapshot.activity)?.streams.get(name);
    const condition = streamConditionOf({ off: off.includes(name), running, ...limits, saved, activity });
    return { stream: name, condition, saved, activity };
  });
}

/** Number of the schedule's intervals without a run after which a stream is late. */
const MISSED_INTERVALS = 3;
/**
 * Longest time until a report is visible. The report is dated to the start of its minute, and
 * CloudWatch shows it about a minute later.
 */
const DELAY_MILLISECONDS = 120_000;

const LONGEST_RUN_MILLISECONDS = 15 * 60_000;

/**
 * Times before which a last report or a last success is late. While a run holds the lease, no other
 * run can report, so the limit is earlier. While the schedule is off, there are no limits.
 */
function lateLimits({ now, schedule }: Snapshot, running: boolean): Pick<Facts, 'lateBefore' | 'behindBefore'> {
  const { enabled, expression = '' } = valueIfRead(schedule) ?? {};
  const interval = enabled ? scheduleInterval({ expression }) : undefined;
  if (!interval) return {};
  const missed = MISSED_INTERVALS * interval + DELAY_MILLISECONDS;
  const lateBefore = now - missed - (running ? LONGEST_RUN_MILLISECONDS : 0);
  return { lateBefore, behindBefore: now - missed - 2 * LONGEST_RUN_MILLISECONDS };
}

interface Facts {
  readonly off: boolean;
  /** Whether a run holds the lease. */
  readonly running: boolean;
  /** The stream is late if its last report is before this time. */
  readonly lateBefore?: number | undefined;
  /** A stream that was caught up is late if its last success is before this time. */
  readonly behindBefore?: number | undefined;
  readonly saved: SavedStream | Error | undefined;
  readonly activity: StreamActivity | undefined;
}

export function streamConditionOf(facts: Facts): StreamCondition {
  const { lateBefore = 0, behindBefore = 0, activity } = facts;
  const condition = lastCondition(facts);
  if (condition !== 'caught up' && condition !== 'backfilling') return condition;
  const { reported = lateBefore, caughtUp = behindBefore } = activity ?? {};
  return reported < lateBefore || caughtUp < behindBefore ? 'late' : condition;
}

/** The condition after the last run, regardless of its age. */
function lastCondition({ off, running, saved, activity }: Facts): StreamCondition {
  if (saved instanceof Error) return 'unreadable';
  const hasRun = saved && (saved.checkpoint.cursor !== undefined || saved.checkpoint.committed !== '');
  if (off) return 'off';
  if (!activity) return 'unknown';
  const { reported, caughtUp = 0, failed } = activity;
  if (reported === undefined) {
    if (running) return 'backfilling';
    return hasRun ? 'silent' : 'never run';
  }
  // Runs in the same minute share a data point, in which a success outweighs a failure.
  if (caughtUp >= reported) return 'caught up';
  return failed ? 'failing' : 'backfilling';
}
