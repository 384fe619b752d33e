/**
 * Tries dead letters again, at an operator's command: the code of today may be able to send what an earlier version could not.
 *
 *     dead letter      row state of its id          API now       outcome
 *     oversize a v1    a v1 (its notice was sent)   –             sent, once a v1 fits
 *     oversize a v1    a v2                         –             superseded: deleted, the SIEM has what came later
 *     no-id    b v1    none                         b v1          sent
 *     no-id    b v1    none                         b v2          kept: the stream has not delivered v2 yet
 *
 * It runs for a stream whose walk has just reached its end, under the same lease. Only then do the row states say what the stream delivered
 * last, so that no older version is sent after a newer one. A dead letter is sent as a page of one row is, and deleted once that is
 * recorded. A kill in between only means that it is tried again.
 */
import { STREAMS } from '../streams.ts';
import { type DeadLetterKey, type ReadDeadLetter, readDeadLetter } from './dead-letter.ts';
import { ApiRefusedError, ContractError } from './errors.ts';
import { exceedsRecord, type RowEvent } from './event.ts';
import type { CutElement } from './json/cutter.ts';
import { type Row, readRow, rowCut, rowOf, singleRow } from './row.ts';
import { eventContext, type StreamRun } from './run.ts';
import { isUnconfirmed, type StreamState } from './stream-state.ts';
import { syncRow } from './sync.ts';

/** What became of one dead letter. */
export interface RedriveOutcome {
  readonly key: string;
  readonly outcome: RedriveDecision['outcome'];
  readonly reason?: string;
}

type RedriveDecision =
  /** Firehose has acknowledged it, and the dead letter is deleted. */
  | { readonly outcome: 'sent'; readonly again: boolean }
  /** The SIEM has this content already, and the dead letter is deleted. */
  | { readonly outcome: 'known' }
  /** The SIEM has what came later, and the dead letter is deleted. */
  | { readonly outcome: 'superseded' }
  /** It stays, and `reason` says why. */
  | { readonly outcome: 'kept'; readonly reason: string };

const kept = (reason: string): RedriveDecision => ({ outcome: 'kept', reason });
const KNOWN: RedriveDecision = { outcome: 'known' };
const SUPERSEDED: RedriveDecision = { outcome: 'superseded' };
const SEND: RedriveDecision = { outcome: 'sent', again: false };
const SEND_AGAIN: RedriveDecision = { outcome: 'sent', again: true };
const STILL_OVERSIZE = kept('it still cannot be an event: oversize');

export interface RedriveOptions {
  readonly keys: readonly DeadLetterKey[];
  /** Whether the walk of the stream has reached its end in this run. */
  readonly caughtUp: boolean;
  readonly state: StreamState;
  /** Called as they come, so that the outcomes before a failure are reported. */
  readonly onOutcome: (outcome: RedriveOutcome) => void;
}

export async function redrive(options: RedriveOptions, streamRun: StreamRun): Promise<void> {
  const { run, stream } = streamRun;
  let { state } = options;
  for (const { key } of options.keys) {
    run.lease.signal.throwIfAborted();
    const { decision, next } = await redriveOne(key, { ...options, state }, streamRun);
    state = next;
    const outcome = { key, outcome: decision.outcome, ...('reason' in decision && { reason: decision.reason }) };
    options.onOutcome(outcome);
    run.log.info('A dead letter was tried again', { stream: stream.name, ...outcome });
  }
}

interface Redriven {
  readonly decision: RedriveDecision;
  readonly next: StreamState;
}

async function redriveOne(key: string, { caughtUp, state }: RedriveOptions, streamRun: StreamRun): Promise<Redriven> {
  const { run } = streamRun;
  const unchanged = (decision: RedriveDecision): Redriven => ({ decision, next: state });
  if (!caughtUp || run.outOfTime()) {
    return unchanged(kept('the time ended before the stream was read to its end; run the command again'));
  }
  const body = await run.deadLetters.read(key);
  if (body === undefined) return unchanged(kept('it is missing, or the function is not allowed to read it'));
  const redriven = await tryAgain(body, state, streamRun);
  if (redriven.decision.outcome !== 'kept') await run.deadLetters.remove(key, run.lease.assertValid);
  return redriven;
}

async function tryAgain(body: string, state: StreamState, streamRun: StreamRun): Promise<Redriven> {
  const { stream, run } = streamRun;
  const unchanged = (decision: RedriveDecision): Redriven => ({ decision, next: state });
  const deadLetter = readDeadLetter(body);
  if (deadLetter?.stream !== stream.name)
    return unchanged(kept('it is no dead letter of this stream that this version can read'));
  const element = cutDeadLetter(deadLetter.text, streamRun);
  if (!element) return unchanged(kept('its row is not JSON'));
  const row = readRow(element, stream, run.hash);
  if ('reason' in row) return unchanged(kept(`it still cannot be an event: ${row.reason}`));
  const decision = await decideRedrive(row, deadLetter, state, streamRun);
  if (decision.outcome !== 'sent') return unchanged(decision);
  if (row.filter === 'withhold') return unchanged(kept('the filter of its stream excludes its row'));
  // Asked after the decision: a superseded dead letter goes, however large its row is.
  if (exceedsRecord(run.assignment.format.row(longestEvent(row, streamRun), eventContext(run))))
    return unchanged(STILL_OVERSIZE);
  const batch = await syncRow(row, decision.again, state, streamRun);
  // An oversize row was stored once more, under the same key.
  return { decision: batch.counts.sent.oversize > 0 ? STILL_OVERSIZE : decision, next: batch.state };
}

/**
 * An oversize row has a state beside its notice, written by the same commit: while the state is that of the row, the stream has
 * delivered nothing newer, and another state means that it has. Rows without an id left no state: there the API's own answer decides.
 */
async function decideRedrive(
  row: Row,
  { reason }: ReadDeadLetter,
  state: StreamState,
  streamRun: StreamRun,
): Promise<RedriveDecision> {
  const { stream, run } = streamRun;
  const notice = reason === 'oversize';
  if (!stream.hasRowStates) {
    // Immutable: what it says is true whenever it is said. Of an oversize row the window knows no more than its notice.
    return !notice && row.versionTag !== undefined && state.window.has(row.versionTag) ? KNOWN : SEND;
  }
  const stored = (await run.rowStates.get(stream.name, [row.id])).get(row.id);
  if (stored instanceof Error) return kept('the row state of its id is damaged; resync the stream first');
  const confirmed = stored && stored.generation >= state.checkpoint.generation && !isUnconfirmed(state, row.id);
  // It exists again, and the filter withholds it.
  if (confirmed && stored.exists !== undefined) return SUPERSEDED;
  if (confirmed && stored.rowHash === row.rowHash) return notice ? SEND_AGAIN : KNOWN;
  if (confirmed && notice) return SUPERSEDED;
  const current = await currentRowHash(row.id, streamRun);
  if (typeof current === 'object') return current;
  if (current === row.rowHash) return decideByParent(row, streamRun);
  if (confirmed && current === stored.rowHash) return SUPERSEDED;
  return kept('the API answers something else for its id, which the stream has not delivered');
}

/**
 * The API need not refuse a row whose parent is removed, and nothing would withdraw it: that has been done. The tombstone of a parent that
 * was never delivered is not sent, so such a parent may be removed as well.
 */
async function decideByParent({ parent }: Row, { stream, run }: StreamRun): Promise<RedriveDecision> {
  const parents = STREAMS.find(({ name }) => name === stream.cascadesFrom)?.name;
  if (parent === undefined || parents === undefined) return SEND;
  const state = (await run.rowStates.get(parents, [parent])).get(parent);
  if (state instanceof Error) return kept(`the row state of its parent is damaged; resync ${parents} first`);
  return state && !state.removed ? SEND : kept('its parent is removed, or was never delivered');
}

/** @returns the hash of what the API answers for the id now, or why there is none */
async function currentRowHash(id: string, { stream, run }: StreamRun): Promise<string | RedriveDecision> {
  try {
    const cut = rowCut(stream, run.assignment.parentMember);
    const answer = await run.rows.row(stream.path, id, run.lease.signal);
    const row = readRow(singleRow(answer, stream.path, cut), stream, run.hash);
    return 'reason' in row || row.id !== id ? kept('the API answers another row for its id') : row.rowHash;
  } catch (error) {
    if (error instanceof ApiRefusedError) {
      return kept(`the API does not give the row of its id (${error.status} ${error.type ?? 'without a type'})`);
    }
    if (error instanceof ContractError) return kept('the API answers no row for its id');
    if (error instanceof RangeError) return kept('no path of the API can hold its id');
    throw error;
  }
}

function cutDeadLetter(text: string, { stream, run }: StreamRun): CutElement | undefined {
  try {
    return rowOf(text, stream.path, rowCut(stream, run.assignment.parentMember));
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

/** With the longest values of the members that are not known before the row is decided. */
function longestEvent(row: Row, { stream }: StreamRun): RowEvent {
  return { row, stream, sequence: '9'.repeat(20), revision: '', known: true };
}
