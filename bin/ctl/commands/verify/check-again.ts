/** Classifies differences, and checks each again after the next run, which sends what was not sent yet. */
import type { RowState } from '../../../../lambda/ports.ts';
import { idOf } from '../../../../lambda/store/item.ts';
import type { SyncedStream } from '../../../../lambda/streams.ts';
import type { Access } from '../../access.ts';
import { type Answer, askForRow, isGone, isTrue, resultOf } from '../lookup/answer.ts';
import { FACT, type IdIndex } from './id-index.ts';

export interface Checked {
  /** Still different. */
  readonly confirmed: readonly Difference[];
  /** Sent again since. A single read may have other members than the list, so they stay unconfirmed. */
  readonly moved: readonly Difference[];
  /** No longer different. */
  readonly resolved: number;
}

/** Further differences count as confirmed without a single read. */
const MOST_SINGLE_READS = 1_000;
const PIECE = 100;

export interface Compared {
  readonly stream: SyncedStream;
  readonly found: readonly Difference[];
  /** Generation of the checkpoint. */
  readonly generation: number;
}

/**
 * @param begun when the comparison began, in milliseconds since 1970
 * @throws AwsCallError; as the API's client does
 */
export async function checkAgain(
  access: Access,
  { stream, found: differences, generation }: Compared,
  begun: number,
): Promise<Checked> {
  const confirmed: Difference[] = [];
  const moved: Difference[] = [];
  let resolved = 0;
  let asked = 0;
  for (let from = 0; from < differences.length; from += PIECE) {
    const piece = differences.slice(from, from + PIECE);
    const states = await access.rowStates.get(
      stream.name,
      piece.flatMap(({ id }) => id ?? []),
    );
    for (const each of piece) {
      const state = each.id === undefined ? undefined : states.get(each.id);
      const stale = each.kind === 'stale' && !isOf(generation, state);
      if (!stale && agrees(each, state)) resolved++;
      else if (each.id === undefined || stale || asked++ >= MOST_SINGLE_READS) confirmed.push(each);
      else {
        const outcome = checked(await askForRow(access, stream, each.id), state, begun);
        if (outcome === 'resolved') resolved++;
        else (outcome === 'moved' ? moved : confirmed).push(each);
      }
    }
  }
  return { confirmed, moved, resolved };
}

function isOf(generation: number, state: RowState | undefined): boolean {
  return state !== undefined && state.generation >= generation;
}

/** Whether the state now equals what the API listed. */
function agrees({ listed, rowHash }: Difference, state: RowState | undefined): boolean {
  if (listed === 'withheld') return state?.status !== 'live';
  if (!state) return false;
  if (!listed) return state.status !== 'live';
  return state.rowHash === rowHash && (state.status !== 'live') === (listed === 'tombstone');
}

/** The row may have changed since it was listed, so the API's current answer counts. */
function checked(answer: Answer, state: RowState | undefined, begun: number): 'resolved' | 'moved' | 'lasts' {
  if (isTrue(resultOf(answer, state))) return 'resolved';
  // It was removed before it could be sent.
  if (!state) return isGone(answer) ? 'resolved' : 'lasts';
  return hasMoved(state, begun) && !isGone(answer) ? 'moved' : 'lasts';
}

function hasMoved({ forwardedAt }: RowState, begun: number): boolean {
  return Date.parse(forwardedAt) >= begun;
}

export const DIFFERENCES = {
  missing: 'never sent to the SIEM',
  other: 'sent with other content',
  hidden: 'sent as removed, but live at the API',
  ghost: 'live at the SIEM, but removed from the API',
  unfiltered: 'live at the SIEM, but excluded by the filter',
  stale: 'not sent again since the last replay',
} as const;

export type DifferenceKind = keyof typeof DIFFERENCES;

export interface Difference {
  readonly kind: DifferenceKind;
  /** Undefined if the table has only its hash. */
  readonly id: string | undefined;
  /** Key of its row state. */
  readonly key: string;
  /** As the API listed it, undefined if it did not. */
  readonly listed: 'live' | 'tombstone' | 'withheld' | undefined;
  /** Hash of the row that the API listed last. */
  readonly rowHash: string | undefined;
}

/** @returns undefined if both sides agree */
export function disagreement(facts: number): DifferenceKind | undefined {
  const has = (fact: number) => (facts & fact) !== 0;
  if (has(FACT.withheld)) return has(FACT.sent) ? 'unfiltered' : undefined;
  const live = has(FACT.live);
  const listed = live || has(FACT.tombstone);
  // The tombstone of an asset that was never sent, or that the filter withdrew, is not sent.
  if (has(FACT.filtered) && !live) return undefined;
  if (!has(FACT.sent) && !has(FACT.removed)) return live ? 'missing' : undefined;
  if (has(FACT.stale) && listed) return 'stale';
  if (has(FACT.removed)) return live ? 'hidden' : listed && !has(FACT.equal) ? 'other' : undefined;
  if (!live) return 'ghost';
  return has(FACT.equal) ? undefined : 'other';
}

function listedAs(facts: number): Difference['listed'] {
  if (facts & FACT.withheld) return 'withheld';
  if (facts & FACT.live) return 'live';
  return facts & FACT.tombstone ? 'tombstone' : undefined;
}

/** @param rowHashes of listed rows that differ from their state, by place */
export function differences(idIndex: IdIndex, rowHashes: ReadonlyMap<number, string>): Difference[] {
  const found: Difference[] = [];
  for (let place = 0; place < idIndex.size; place++) {
    const facts = idIndex.facts(place);
    const kind = disagreement(facts);
    if (!kind) continue;
    const key = idIndex.key(place);
    const listed = listedAs(facts);
    const rowHash = listed && (rowHashes.get(place) ?? idIndex.rowHash(place));
    found.push({ kind, id: idOf(key), key, listed, rowHash });
  }
  return found;
}
