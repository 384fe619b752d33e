/** What follows the storm: ticks until one has nothing to do, and an operator who sees to the dead letters. */
import type { Platform } from '../../local/platform/platform.ts';
import type { Command, Tick } from './history.ts';
import { isOutdated, keptWithoutCause, lostDespiteLetters } from './oracle/letters-verdict.ts';
import type { Recorder } from './oracle/witness.ts';
import type { SimBucket } from './world/bucket.ts';
import type { SimDynamoDb } from './world/dynamodb.ts';
import type { SimFirehose } from './world/firehose.ts';
import type { SimProcess } from './world/process.ts';
import type { Timeline } from './world/timeline.ts';

export interface QuiesceParts {
  readonly timeline: Timeline;
  readonly platform: Platform;
  readonly recorder: Recorder;
  readonly dynamodb: SimDynamoDb;
  readonly firehose: SimFirehose;
  readonly bucket: SimBucket;
  readonly start: (tick: Tick) => SimProcess;
}

/** The connector must have nothing left to do within so many ticks after the storm. */
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
  observation.violations.push(`No quiet tick among ${MAX_TICKS_TO_QUIET} after the storm`);
}

/** But for the lease nothing is written. An empty page with a new cursor is the one thing that may be worth saving. */
function isQuiet(written: readonly string[], { platform }: QuiesceParts): boolean {
  return written.length === 0 || (platform.settings.emptyPages > 0 && written.every(pk => pk === 'connector'));
}

/**
 * In the end an edition that can send every row is deployed, and an operator orders all letters. A removal among those that
 * stay is brought to the SIEM by a resync: the API need not answer the single read of what is gone.
 */
export async function clearDeadLetters(parts: QuiesceParts, deploy: () => void): Promise<void> {
  const { letters, observation, disturb } = parts.recorder;
  const truth = parts.platform.truth();
  observation.violations.push(...lostDespiteLetters(observation, truth, letters.lying));
  deploy();
  await orderAll(parts);
  observation.violations.push(...keptWithoutCause(observation, truth, letters.lying));
  if (!isOutdated(observation, truth, letters.lying)) return;
  disturb();
  await command({ resync: ['assets', 'threats'] }, parts);
  await orderAll(parts);
}

/** Twice: what one letter waits for may be another. */
async function orderAll(parts: QuiesceParts): Promise<void> {
  const redrive = [...parts.bucket.keys].map((_, place) => place);
  for (let round = 0; round < 2; round++) await command({ redrive }, parts);
  await quiesce(parts);
}

async function command(each: Command, { start, timeline, recorder }: QuiesceParts): Promise<void> {
  const { seen, violations } = recorder.observation;
  const { failedTicks } = seen;
  const process = start({ ...QUIET_RUN, seed: 0, command: each });
  await timeline.runUntil(() => process.ended || process.dead);
  if (seen.failedTicks > failedTicks || process.dead) violations.push('An order failed in the calm');
  await timeline.pass(PAUSE_MILLISECONDS);
}
