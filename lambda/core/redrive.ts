/**
 * Tries once more, with the code of now, what could not be sent as an event before: dead letters, at an operator's order.
 *
 * Done for a stream whose walk has just reached its end, under the same lease: then the row states say what the stream
 * delivered last of each id, and no older version can be sent after a newer one. A letter is sent as a page of one row is,
 * and deleted once that is recorded; a kill in between only means that it is tried again.
 */
import { commit } from './commit.ts';
import { type DeadLetterKey, readDeadLetter } from './dead-letter.ts';
import type { StreamRun } from './draining.ts';
import { ContractError } from './errors.ts';
import { exceedsRecord } from './event.ts';
import type { Sending } from './event-format.ts';
import type { CutElement } from './json/cutter.ts';
import { judge, kept, type RedriveDecision } from './judge.ts';
import { prepareRow } from './prepare.ts';
import { type Row, readRow, rowCut } from './row.ts';
import { eventContext } from './run.ts';
import { rowOf } from './single.ts';

/** What became of one dead letter. */
export interface RedriveOutcome {
  readonly key: string;
  readonly outcome: RedriveDecision['outcome'];
  readonly reason?: string;
}

/** Outcomes are added as they come, so that those before a failure are told. */
export async function redrive(
  letters: readonly DeadLetterKey[],
  outcomes: RedriveOutcome[],
  streamRun: StreamRun,
): Promise<void> {
  const { run, stream } = streamRun;
  for (const { key } of letters) {
    run.lease.signal.throwIfAborted();
    const verdict = await redriveOne(key, streamRun);
    const outcome = { key, outcome: verdict.outcome, ...('reason' in verdict && { reason: verdict.reason }) };
    outcomes.push(outcome);
    run.log.info('A dead letter was tried again', { stream: stream.name, ...outcome });
  }
}

async function redriveOne(key: string, streamRun: StreamRun): Promise<RedriveDecision> {
  const { run, result } = streamRun;
  if (!result.caughtUp || run.outOfTime()) {
    return kept('the time ended before the stream was read to its end; order it again');
  }
  const body = await run.deadLetters.read(key);
  if (body === undefined) return kept('it is missing, or the function is not allowed to read it');
  const verdict = await tryAgain(body, streamRun);
  if (verdict.outcome !== 'kept') await run.deadLetters.remove(key, run.lease.assertLeaseValid);
  return verdict;
}

function cutLetter(text: string, { stream, run }: StreamRun): CutElement | undefined {
  try {
    return rowOf(text, stream.path, rowCut(stream, run.assignment.parentMember));
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

async function tryAgain(body: string, streamRun: StreamRun): Promise<RedriveDecision> {
  const { stream, run } = streamRun;
  const deadLetter = readDeadLetter(body);
  if (deadLetter?.stream !== stream.name) return kept('it is no letter of this stream that this version can read');
  const element = cutLetter(deadLetter.text, streamRun);
  if (!element) return kept('its row is not JSON');
  const row = readRow(element, stream, run.hash);
  if ('reason' in row) return kept(`it still cannot be an event: ${row.reason}`);
  const verdict = await judge(row, deadLetter, streamRun);
  if (verdict.outcome !== 'sent') return verdict;
  // Asked after the decision: a letter that is superseded goes, however large its row is.
  if (exceedsRecord(run.assignment.format.row(longestSending(row, streamRun), eventContext(run))))
    return kept(OVERSIZE);
  const prepared = await prepareRow(row, verdict.again, streamRun);
  await commit(prepared, streamRun);
  // It was stored once more, under the same key.
  return prepared.plan.counts.oversize > 0 ? kept(OVERSIZE) : verdict;
}

const OVERSIZE = 'it still cannot be an event: oversize';

/** Of the members that are not known before a row is planned, the longest. */
function longestSending(row: Row, { stream }: StreamRun): Sending {
  return { row, stream, sequence: '9'.repeat(20), revision: '', known: true };
}
