/** What follows the faults: ticks until one has nothing to do. */
import type { Platform } from '../../local/platform/platform.ts';
import type { Tick } from './history.ts';
import type { Recorder } from './oracle/recorder.ts';
import type { SimDynamoDb } from './simulated/dynamodb.ts';
import type { SimFirehose } from './simulated/firehose.ts';
import type { SimProcess } from './simulated/process.ts';
import type { Timeline } from './simulated/timeline.ts';

export interface QuiesceParts {
  readonly timeline: Timeline;
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly dynamodb: SimDynamoDb;
  readonly firehose: SimFirehose;
  readonly start: (tick: Tick) => SimProcess;
}

/** The connector must have nothing left to do within so many ticks after the faults. */
export const MAX_TICKS_TO_QUIET = 6;
const QUIET_RUN = { kind: 'tick', budgetMilliseconds: 900_000, faults: [], changes: [] } as const;
const PAUSE_MILLISECONDS = 61_000;

export async function quiesce(parts: QuiesceParts): Promise<void> {
  const { timeline, recorder, dynamodb, firehose } = parts;
  const { observation } = recorder;
  for (let ticks = 0; ticks <= MAX_TICKS_TO_QUIET; ticks++) {
    const before = { events: observation.events.length, calls: firehose.calls, writes: dynamodb.writes.length };
    const process = parts.start({ ...QUIET_RUN, seed: ticks });
    await timeline.runUntil(() => process.ended || process.dead);
    const silent = observation.events.length === before.events && firehose.calls === before.calls;
    if (silent && isQuiet(dynamodb.writes.slice(before.writes), parts)) {
      observation.ticksToQuiet = ticks;
      return;
    }
    await timeline.pass(PAUSE_MILLISECONDS);
  }
  observation.violations.push(`No quiet tick among ${MAX_TICKS_TO_QUIET} after the faults`);
}

/** But for the lease nothing is written. An empty page with a new cursor is the one thing that may be worth saving. */
function isQuiet(written: readonly string[], { platform }: QuiesceParts): boolean {
  return written.length === 0 || (platform.settings.emptyPages > 0 && written.every(pk => pk === 'connector'));
}
