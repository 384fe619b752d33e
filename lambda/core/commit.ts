/**
 * Sends a batch, and remembers it by means of a redo log. A batch passes these steps, each awaited
 * before the next:
 *
 *     killed after     the SIEM has                      the next run
 *     0 dead letters   nothing                           decides again; a dead letter that is stored twice is one object
 *     1 log            nothing, or a part of the batch   sends, applies and saves the same batch, with the same `event_id`s
 *     2 events         the batch                         does the same
 *     3 row states     the batch                         does the same: the second write of a state changes nothing
 *     4 checkpoint     the batch                         continues after the batch
 *
 * A stream without row states does not need a log, because its rows become the same events when
 * they are read again.
 */
import type { Checkpoint, LogEntry } from '../ports.ts';
import { type Batch, decodeBatch, encodeBatch, isEmptyBatch } from './batch.ts';
import { isSameCheckpoint } from './checkpoint.ts';
import { LogMissingError } from './errors.ts';
import { inParallel } from './in-parallel.ts';
import type { StreamRun } from './run.ts';

/**
 * @param before the checkpoint from which the batch was decided
 * @returns the checkpoint that is saved
 * @throws StateError, DeliveryError, DeadLetterError, LogError, OutOfTimeError, LeaseLostError
 */
export async function commitBatch(batch: Batch, before: Checkpoint, streamRun: StreamRun): Promise<Checkpoint> {
  const { stream, run } = streamRun;
  if (isEmptyBatch(batch)) {
    if (isSameCheckpoint(batch.checkpoint, before)) return before;
    return saveCheckpoint(batch.checkpoint, streamRun);
  }

  await inParallel(batch.deadLetters, deadLetter => run.deadLetters.store(deadLetter, run.lease.assertValid)); // 0
  if (stream.hasRowStates) await log(batch, streamRun); // 1
  return apply(batch, streamRun);
}

/**
 * Stores the log and saves its name, which is step 1. The object is written before the table names
 * it, because an object that the table does not name is not a log. The name is written under the
 * fence, so a run that has lost its lease cannot write it.
 */
async function log(batch: Batch, { stream, run, logs }: StreamRun): Promise<void> {
  const { committed: sequence } = batch.checkpoint;
  const stored = await run.logs.put(
    stream.name,
    sequence,
    encodeBatch(batch, run.lease.tableId),
    run.lease.assertValid,
  );
  const entry = { sequence, key: stored.key, earlier: logs.earlier };
  await run.checkpoints.saveLog(stream.name, entry, run.lease.nextFence());
  logs.opened(stored);
}

/** Sends the events, applies the writes and saves the checkpoint, which are steps 2 to 4. */
async function apply(batch: Batch, streamRun: StreamRun): Promise<Checkpoint> {
  const { stream, run, count } = streamRun;
  const { assertValid } = run.lease;
  const { records, states, children, childrenDone, removals, removalsDone, sent } = batch;

  if (records.length > 0) await run.delivery.deliver(records, assertValid); // 2
  count(sent);

  const parents = stream.cascadesFrom ?? stream.name;
  const writes = [
    removals.length > 0 && (() => run.removals.add(stream.name, removals, assertValid)),
    children.length > 0 && (() => run.childIndex.put(stream.name, children, assertValid)),
    states.size > 0 && (() => run.rowStates.put(stream.name, states, assertValid)),
    childrenDone.length > 0 && (() => run.childIndex.delete(stream.name, childrenDone, assertValid)),
    removalsDone.length > 0 && (() => run.removals.remove(parents as 'assets', removalsDone, assertValid)),
  ];
  for (const write of writes) if (write) await write(); // 3

  const saved = await saveCheckpoint(batch.checkpoint, streamRun); // 4
  await streamRun.logs.saved();
  return saved;
}

/**
 * Saves the checkpoint. If the answer to a write was unclear, the run stops after this call: see
 * StreamRun.isOver.
 */
export async function saveCheckpoint(checkpoint: Checkpoint, { stream, run }: StreamRun): Promise<Checkpoint> {
  await run.checkpoints.save(stream.name, checkpoint, run.lease.nextFence());
  return checkpoint;
}

/**
 * Repeats the unfinished batch of a killed run exactly as it was logged. A recovery needs no other
 * step.
 *
 * @returns the checkpoint after the batch
 * @throws LogMissingError, and the errors of `commitBatch`
 */
export async function redoBatch({ key }: LogEntry, streamRun: StreamRun): Promise<Checkpoint> {
  const { stream, run, logs } = streamRun;
  const found = await run.logs.get(key);
  const batch = found && decodeBatch(found.batch, run.lease.tableId);
  if (!batch) throw new LogMissingError(stream.name);

  logs.opened(found.stored);
  run.log.info('A batch of an earlier run was not finished: it is done again', { stream: stream.name });
  return apply(batch, streamRun);
}
