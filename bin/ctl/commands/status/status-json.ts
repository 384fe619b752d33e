/**
 * A snapshot as JSON. Times are ISO 8601, ages are seconds, and a part that cannot be read is
 * `{"notReadable": "…"}`.
 */
import type { FailureGroup } from '../../failures.ts';
import { readResultJson, valueIfRead } from '../../read-result.ts';
import { isBatchOpen } from '../../state.ts';
import { timeText } from '../../text.ts';
import { alarmsInAlarm, type Health, type StreamSummary, streamSummaries } from './health.ts';
import type { Snapshot } from './snapshot.ts';

export function statusJson(snapshot: Snapshot, health: Health): object {
  const { deployment, now, schedule, state, activity, alarms, siem, readers } = snapshot;
  return {
    time: timeText(now),
    connector: deployment.connector,
    health,
    alarms: readResultJson(alarms, ({ notifiers }) => ({
      muted: notifiers.some(each => !each.notifies),
      inAlarm: alarmsInAlarm(snapshot).map(({ since, state: _state, ...alarm }) => ({
        ...alarm,
        since: since === undefined ? undefined : timeText(since),
      })),
    })),
    failures: snapshot.failures && readResultJson(snapshot.failures, groups => groups.map(failureJson)),
    streams: streamSummaries(snapshot).map(each => streamJson(snapshot, each)),
    schedule: readResultJson(schedule, ({ name, enabled, expression }) => ({ name, enabled, expression })),
    lease: readResultJson(state, ({ lease }) => (lease ? { ...lease, expires: timeText(lease.expires) } : null)),
    firehose: readResultJson(activity, ({ freshnessSeconds = null }) => ({ freshnessSeconds })),
    siem: siem && {
      queue: readResultJson(siem.queue),
      oldestSeconds: readResultJson(activity, ({ oldestNotificationSeconds = null }) => oldestNotificationSeconds),
      deadLetters: readResultJson(siem.deadLetters),
    },
    readers: readers.map(({ name, queue, deadLetters }) => {
      return { name, queue: readResultJson(queue), deadLetters: readResultJson(deadLetters) };
    }),
    scheduleDeadLetters: readResultJson(snapshot.scheduleDeadLetters),
    stack: { name: deployment.stackName, status: deployment.stackStatus, version: deployment.version },
  };
}

function failureJson({ time, first, ...failure }: FailureGroup): object {
  return { ...failure, first: timeText(first), last: timeText(time) };
}

function streamJson(snapshot: Snapshot, { stream, condition, saved, activity }: StreamSummary): object {
  const caughtUp = activity?.caughtUp;
  return {
    stream,
    condition,
    lastSuccess: caughtUp === undefined ? null : timeText(caughtUp),
    lastSuccessAgeSeconds: caughtUp === undefined ? null : Math.max(0, Math.round((snapshot.now - caughtUp) / 1000)),
    last24Hours: readResultJson(snapshot.activity, () => activity?.counts),
    deadLetters: readResultJson(snapshot.deadLetters, counts => counts.get(stream)),
    withdrawalsListed: valueIfRead(snapshot.state)?.withdrawals.get(stream),
    checkpoint: readResultJson(snapshot.state, () => checkpointJson(saved)),
  };
}

function checkpointJson(saved: StreamSummary['saved']): object | null {
  if (saved instanceof Error) return { unreadable: saved.message };
  if (!saved) return null;
  const { cursor, committed, window, generation, second } = saved.checkpoint;
  return {
    cursorSaved: cursor !== undefined,
    committedSequence: committed,
    window: window.length,
    generation,
    batchOpen: isBatchOpen(saved),
    secondWalk: second
      ? { mode: second.mode, phase: second.phase, rows: second.rows, withdrawn: second.withdrawn }
      : null,
    withdrawalsWaiting: second?.waiting ?? null,
  };
}
