/**
 * The one way to send and to remember. A page, a piece of withdrawals, a refreshed page and a repair are batches alike and pass the same six
 * writes, each awaited before the next. A kill between any two of them loses nothing:
 *
 *     killed after     the SIEM has        the next run
 *     1 intent         nothing             decides the rows again and sends them
 *     2 dead letters   nothing             does the same; a dead letter that is stored twice is one object
 *     3 events         the batch           decides the rows again; their ids are unconfirmed, so they are sent again under the same `event_id`
 *     4 removals       the batch           does the same
 *     5 row states     the batch           does the same
 *     6 checkpoint     the batch           continues behind it
 *
 * No write says what Firehose has not acknowledged.
 */
import type { Intent } from '../ports.ts';
import { type Batch, type StreamState, toCheckpoint } from './decide.ts';
import { inParallel } from './in-parallel.ts';
import type { StreamRun } from './run.ts';

/** All six writes. @throws StateError, DeliveryError, DeadLetterError, OutOfTimeError, LeaseLostError */
export async function sendAndCommit(batch: Batch, streamRun: StreamRun): Promise<void> {
  await writeIntent(batch, undefined, streamRun);
  await send(batch, streamRun);
  await commit(batch, streamRun);
}

/**
 * 1. Without this note a kill between Firehose's acknowledgement and the row states would leave an asset that the SIEM has and the table
 * does not know: its tombstone would look like that of an asset never seen.
 *
 * @param previous state whose batch may still be under commit. Until then the ids of this batch stay carried along: a run before may have
 *   sent them, in a larger page
 */
export async function writeIntent(
  { intent, confirms, children, state }: Batch,
  previous: StreamState | undefined,
  { stream, run }: StreamRun,
): Promise<void> {
  const saveIntents = async () => {
    if (!intent && !confirms) return;
    const intents = [...carried(previous ?? state), previous?.intent, intent].filter(each => each !== undefined);
    await run.checkpoints.saveIntents(stream.name, intents, run.lease.epoch);
  };
  const putChildren = async () => {
    if (children.length > 0) await run.childIndex.put(stream.name, children, run.lease.assertValid);
  };
  await inParallel([saveIntents, putChildren], write => write());
}

/** What is unconfirmed stays so until it is sent again: an intent for each batch that it was in. */
function carried({ unconfirmed, gone }: StreamState): Intent[] {
  return [...new Set(unconfirmed.values())].map(first => {
    const idTags = [...unconfirmed].filter(([, each]) => each === first).map(([tag]) => tag);
    return { first, sequence: '', idTags, goneTags: idTags.filter(tag => gone.has(tag)) };
  });
}

/** 2. and 3. What cannot be sent is stored first, since a notice in the events points to it. */
export async function send({ deadLetters, lines, sent }: Batch, { run, count }: StreamRun): Promise<void> {
  await inParallel(deadLetters, each => run.deadLetters.store(each, run.lease.assertValid));
  if (lines.length > 0) count({ throttledMilliseconds: await run.delivery.deliver(lines, run.lease.assertValid) });
  count(sent);
}

/** 4. to 6. Removals come before the row states: a state "removed" would suppress the tombstone when the page is read again. */
export async function commit({ removals, states, saves, state }: Batch, { stream, run }: StreamRun): Promise<void> {
  const { assertValid, epoch } = run.lease;
  if (removals.length > 0) await run.removals.add(stream.name, removals, assertValid);
  if (states.size > 0) await run.rowStates.put(stream.name, states, assertValid);
  if (saves) await run.checkpoints.save(stream.name, toCheckpoint(state), epoch);
}
