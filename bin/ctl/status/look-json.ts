/** A look for machines: all of it. Times are ISO 8601, ages seconds; a part that could not be read is `{"notReadable": "…"}`. */
import { timeText } from '../report/time-text.ts';
import { unconfirmed } from '../state/state-text.ts';
import type { Look } from './look.ts';
import { known, readingJson } from './reading.ts';
import { type StreamLook, streamLooks } from './stream-condition.ts';
import { inAlarm, type Result } from './verdict.ts';

export function lookJson(look: Look, result: Result): object {
  const { deployment, now, schedule, state, activity, alarms, siem } = look;
  return {
    time: timeText(now),
    connector: deployment.connector,
    result: { word: result.word, reasons: result.reasons },
    alarms: readingJson(alarms, ({ notifiers }) => ({
      muted: notifiers.some(each => !each.tells),
      inAlarm: inAlarm(look).map(({ name, urgency, since, runbook }) => {
        return { name, urgency, since: since === undefined ? undefined : timeText(since), runbook };
      }),
    })),
    streams: streamLooks(look).map(each => streamJson(look, each)),
    schedule: readingJson(schedule, ({ name, enabled, expression }) => ({ name, enabled, expression })),
    lease: readingJson(state, ({ lease }) => (lease ? { ...lease, expires: timeText(lease.expires) } : null)),
    firehose: readingJson(activity, ({ freshnessSeconds = null }) => ({ freshnessSeconds })),
    siem: siem && {
      queue: readingJson(siem.queue),
      oldestSeconds: readingJson(activity, ({ oldestAnnouncementSeconds = null }) => oldestAnnouncementSeconds),
      deadLetters: readingJson(siem.deadLetters),
    },
    scheduleDeadLetters: readingJson(look.scheduleDeadLetters),
    stack: { name: deployment.stackName, status: deployment.stackStatus, version: deployment.version },
  };
}

function streamJson(look: Look, { stream, condition, memory, activity }: StreamLook): object {
  const drained = activity?.drained;
  return {
    stream,
    condition,
    lastSuccess: drained === undefined ? null : timeText(drained),
    lastSuccessAgeSeconds: drained === undefined ? null : Math.max(0, Math.round((look.now - drained) / 1000)),
    last24Hours: readingJson(look.activity, () => activity?.counts),
    deadLetters: readingJson(look.deadLetters, counts => counts.get(stream)),
    withdrawalsListed: known(look.state)?.withdrawals.get(stream),
    checkpoint: readingJson(look.state, () => checkpointJson(memory)),
  };
}

function checkpointJson(memory: StreamLook['memory']): object | null {
  if (memory instanceof Error) return { damaged: memory.message };
  if (!memory) return null;
  const { cursor, committed, window, generation, repairing } = memory.checkpoint;
  return {
    cursorSaved: cursor !== undefined,
    settledSequence: committed,
    window: window.length,
    generation,
    resyncUnderWay: repairing,
    unconfirmedIds: unconfirmed(memory),
  };
}
