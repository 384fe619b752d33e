/** Whether the row of a dead letter, which can be an event now, is to be sent. */
import { STREAMS } from '../streams.ts';
import type { ReadDeadLetter } from './dead-letter.ts';
import type { StreamRun } from './draining.ts';
import { ApiRefusedError, ContractError } from './errors.ts';
import { type Row, readRow, rowCut } from './row.ts';
import { singleRow } from './single.ts';

export type RedriveDecision =
  /** Firehose has acknowledged it; the letter is deleted. */
  | { readonly outcome: 'sent'; readonly again: boolean }
  /** The SIEM has this content already; the letter is deleted. */
  | { readonly outcome: 'known' }
  /** The SIEM has what came after; the letter is deleted. */
  | { readonly outcome: 'superseded' }
  /** It stays, and `reason` says why. */
  | { readonly outcome: 'kept'; readonly reason: string };

export function kept(reason: string): RedriveDecision {
  return { outcome: 'kept', reason };
}

/**
 * An oversize row has a state beside its notice, written by the same commit: while the state is that of the row, the stream
 * has delivered nothing newer, and another one means that it has. Rows without an id left no state, so there the API's
 * own answer decides.
 */
export async function judge(row: Row, { reason }: ReadDeadLetter, streamRun: StreamRun): Promise<RedriveDecision> {
  const { stream, memory, run } = streamRun;
  const notice = reason === 'oversize';
  // Immutable: what it says is true whenever it is said. Of an oversize row the window knows no more than its notice.
  if (stream.memory === 'window') return !notice && memory.window.has(row.versionTag) ? KNOWN : SEND;
  const stored = (await run.rowStates.get(stream.name, [row.id])).get(row.id);
  if (stored instanceof Error) return kept('the row state of its id is damaged; resync the stream first');
  const told = stored && stored.generation >= memory.checkpoint.generation && !memory.intents.isUnconfirmed(row.id);
  if (told && stored.rowHash === row.rowHash) return notice ? SEND_AGAIN : KNOWN;
  if (told && notice) return { outcome: 'superseded' };
  const now = await currentRowHash(row.id, streamRun);
  if (now === row.rowHash) {
    return judgeByOwner(row, streamRun);
  }
  if (typeof now === 'object') return now;
  if (told && now === stored.rowHash) return { outcome: 'superseded' };
  return kept('the API answers something else for its id, which the stream has not delivered');
}

/**
 * The API need not refuse a row whose owner is removed. Withdrawn it would never be: that has been done. Of an owner that was
 * never delivered the tombstone is not told, so it may be removed as well.
 */
async function judgeByOwner({ parent }: Row, { stream, run }: StreamRun): Promise<RedriveDecision> {
  const parents = STREAMS.find(({ name }) => name === stream.cascadesFrom)?.name;
  if (parent === undefined || parents === undefined) return SEND;
  const state = (await run.rowStates.get(parents, [parent])).get(parent);
  if (state instanceof Error) return kept(`the row state of what it belongs to is damaged; resync ${parents} first`);
  return state && !state.removed ? SEND : kept('what it belongs to is removed, or was never delivered');
}

const KNOWN: RedriveDecision = { outcome: 'known' };
const SEND: RedriveDecision = { outcome: 'sent', again: false };
const SEND_AGAIN: RedriveDecision = { outcome: 'sent', again: true };

/** @returns the digest of what the API answers for the id now, or why there is none */
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
