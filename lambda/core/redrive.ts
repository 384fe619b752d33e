/**
 * Tries once more, with the code of now, what could not be sent as an event before: dead letters, at an operator's order.
 *
 * Done for a stream whose walk has just reached its end, under the same lease: then the row states say what the stream
 * delivered last of each id, and no older version can be sent after a newer one. A letter is sent as a page of one row is,
 * and deleted once that is recorded; a kill in between only means that it is tried again.
 */
import { commit } from './commit.ts';
import type { Draining } from './draining.ts';
import { ContractError } from './errors.ts';
import { exceedsRecord } from './event.ts';
import type { Sending } from './event-format.ts';
import type { CutElement } from './json/cutter.ts';
import { judge, kept, type LetterVerdict } from './judge.ts';
import { type LetterPlace, readLetter } from './letter.ts';
import { prepareRow } from './prepare.ts';
import { type Row, readRow, rowCut } from './row.ts';
import { eventContext } from './run.ts';
import { rowOf } from './single.ts';

/** What became of one dead letter. */
export interface LetterOutcome {
  readonly key: string;
  readonly outcome: LetterVerdict['outcome'];
  readonly reason?: string;
}

/** Outcomes are added as they come, so that those before a failure are told. */
export async function redrive(
  letters: readonly LetterPlace[],
  outcomes: LetterOutcome[],
  draining: Draining,
): Promise<void> {
  const { run, stream } = draining;
  for (const { key } of letters) {
    run.lease.signal.throwIfAborted();
    const verdict = await redriveOne(key, draining);
    const outcome = { key, outcome: verdict.outcome, ...('reason' in verdict && { reason: verdict.reason }) };
    outcomes.push(outcome);
    run.log.info('A dead letter was tried again', { stream: stream.name, ...outcome });
  }
}

async function redriveOne(key: string, draining: Draining): Promise<LetterVerdict> {
  const { run, result } = draining;
  if (!result.caughtUp || run.outOfTime()) {
    return kept('the time ended before the stream was read to its end; order it again');
  }
  const body = await run.deadLetters.read(key);
  if (body === undefined) return kept('it is missing, or the function is not allowed to read it');
  const verdict = await tryAgain(body, draining);
  if (verdict.outcome !== 'kept') await run.deadLetters.remove(key, run.lease.guard);
  return verdict;
}

function cutLetter(text: string, { stream, run }: Draining): CutElement | undefined {
  try {
    return rowOf(text, stream.path, rowCut(stream, run.assignment.ownerMember));
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

async function tryAgain(body: string, draining: Draining): Promise<LetterVerdict> {
  const { stream, run } = draining;
  const letter = readLetter(body);
  if (letter?.stream !== stream.name) return kept('it is no letter of this stream that this version can read');
  const element = cutLetter(letter.text, draining);
  if (!element) return kept('its row is not JSON');
  const row = readRow(element, stream, run.hash);
  if ('reason' in row) return kept(`it still cannot be an event: ${row.reason}`);
  const verdict = await judge(row, letter, draining);
  if (verdict.outcome !== 'sent') return verdict;
  // Asked after the decision: a letter that is superseded goes, however large its row is.
  if (exceedsRecord(run.assignment.format.row(longestSending(row, draining), eventContext(run)))) return kept(OVERSIZE);
  const prepared = await prepareRow(row, verdict.again, draining);
  await commit(prepared, draining);
  // It was stored once more, under the same key.
  return prepared.plan.counts.oversize > 0 ? kept(OVERSIZE) : verdict;
}

const OVERSIZE = 'it still cannot be an event: oversize';

/** Of the members that are not known before a row is planned, the longest. */
function longestSending(row: Row, { stream }: Draining): Sending {
  return { row, stream, sequence: '9'.repeat(20), incarnation: '', known: true };
}
