/** What follows the faults: ticks until one has nothing to do, and an operator who redrives the dead letters. */
import type { Platform } from '../../local/platform/platform.ts';
import type { Command, Tick } from './history.ts';
import { isOutdated, keptWithoutCause, lostDespiteDeadLetters } from './oracle/dead-letters.ts';
import type { Recorder } from './oracle/recorder.ts';
import type { SimBucket } from './simulated/bucket.ts';
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
  readonly bucket: SimBucket;
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

/**
 * In the end a release that can send every row is deployed, and an operator redrives all dead letters. A resync sends a removal that is
 * among those that stay: the API need not answer the single read of what is gone.
 */
export async function clearDeadLetters(parts: QuiesceParts, deploy: () => void): Promise<void> {
  const { letters, observation, disturb } = parts.recorder;
  const truth = parts.platform.truth();
  observation.violations.push(...lostDespiteDeadLetters(observation, truth, letters.inBucket));
  deploy();
  await redriveAll(parts);
  observation.violations.push(...keptWithoutCause(observation, truth, letters.inBucket));
  if (!isOutdated(observation, truth, letters.inBucket)) return;
  disturb();
  await command({ resync: ['assets', 'threats'] }, parts);
  await redriveAll(parts);
}

/** Twice: a dead letter may wait for another one. */
async function redriveAll(parts: QuiesceParts): Promise<void> {
  const redrive = [...parts.bucket.keys].map((_, place) => place);
  for (let round = 0; round < 2; round++) await command({ redrive }, parts);
  await quiesce(parts);
}

async function command(each: Command, { start, timeline, recorder }: QuiesceParts): Promise<void> {
  const { seen, violations } = recorder.observation;
  const { failedTicks } = seen;
  const process = start({ ...QUIET_RUN, seed: 0, command: each });
  await timeline.runUntil(() => process.ended || process.dead);
  if (seen.failedTicks > failedTicks || process.dead) violations.push('A command failed after the faults');
  await timeline.pass(PAUSE_MILLISECONDS);
}
