/**
 * Carries out what was planned for a page, each step awaited: dead letters → Firehose's ack of every line → listed removals
 * → row states → checkpoint.
 */

import type { Plan } from './decide.ts';
import type { StreamRun } from './draining.ts';
import { inParallel } from './in-parallel.ts';
import type { PreparedPage } from './prepare.ts';

export async function commit(prepared: PreparedPage, streamRun: StreamRun): Promise<void> {
  const { plan, batch } = prepared;
  const { memory, run, result } = streamRun;
  await inParallel(plan.deadLetters, deadLetter => run.deadLetters.store(deadLetter, run.lease.assertLeaseValid));
  result.deadLetters += plan.deadLetters.length;
  if (plan.lines.length > 0)
    result.throttledMilliseconds += await run.delivery.deliver(plan.lines, run.lease.assertLeaseValid);
  result.forwarded += plan.counts.forwarded;
  result.tombstones += plan.counts.tombstones;
  result.oversize += plan.counts.oversize;
  result.withoutOwner += plan.counts.withoutOwner;
  await record(plan, streamRun);
  await saveCheckpoint(prepared, streamRun);
  memory.recorded(plan.states, batch);
  result.settledPages++;
}

/** Tombstones are listed before the states say "removed": a state alone would suppress the tombstone when it comes again. */
async function record({ tombstones, states }: Plan, { stream, run }: StreamRun): Promise<void> {
  const { assertLeaseValid } = run.lease;
  if (tombstones.length > 0) await run.removals.add(stream.name, tombstones, assertLeaseValid);
  if (states.size > 0) await run.rowStates.put(stream.name, states, assertLeaseValid);
}

/** Saves the newest non-null cursor; a page that changed nothing writes nothing. */
async function saveCheckpoint({ page, plan, window }: PreparedPage, { stream, memory, run }: StreamRun): Promise<void> {
  const before = memory.checkpoint;
  const cursor = page.next ?? page.sent;
  const moved = cursor !== before.cursor;
  const learned = page.names.rows !== before.names.rows || page.names.pagination !== before.names.pagination;
  if (!moved && !learned && !window && plan.lines.length === 0) return;
  // The cursor that was sent has just worked: the one to fall back to.
  const previous = moved ? (page.next === null ? undefined : page.sent) : before.previous;
  const after = memory.advance({
    cursor,
    previous,
    names: page.names,
    window: window ?? before.window,
    committed: newest(before.committed, plan.lastSequence),
  });
  await run.checkpoints.save(stream.name, after, run.lease.epoch);
}

function newest(one: string, other: string): string {
  return one < other ? other : one;
}
