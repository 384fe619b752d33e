/** What the two sides say of each id, and where they disagree. */
import { idOf } from '../../../lambda/store/item.ts';
import { FACT, type IdIndex } from './ledger.ts';

export const DIFFERENCES = {
  missing: 'never sent to the SIEM',
  other: 'sent with other content',
  hidden: 'told to the SIEM as gone, and live at the API',
  ghost: 'live at the SIEM, and gone from the API',
  stale: 'not sent again since the last replay',
  damaged: 'noted in a state that cannot be read',
} as const;

export type DifferenceKind = keyof typeof DIFFERENCES;

export interface Difference {
  readonly kind: DifferenceKind;
  /** Nothing where the table knows it by its hash alone. */
  readonly id: string | undefined;
  /** As the key of its state has it. */
  readonly key: string;
  /** Whether the API listed it, and as what. */
  readonly listed: 'live' | 'tombstone' | undefined;
  /** Digest of the row that the API listed last. */
  readonly rowHash: string | undefined;
}

/** @returns nothing where both sides agree */
export function disagreement(facts: number): DifferenceKind | undefined {
  const has = (fact: number) => (facts & fact) !== 0;
  if (has(FACT.damaged)) return 'damaged';
  const live = has(FACT.live);
  const listed = live || has(FACT.tombstone);
  // The tombstone of an asset that was never sent is not sent either.
  if (!has(FACT.sent) && !has(FACT.told)) return live ? 'missing' : undefined;
  if (has(FACT.stale) && listed) return 'stale';
  if (has(FACT.told)) return live ? 'hidden' : listed && !has(FACT.equal) ? 'other' : undefined;
  if (!live) return 'ghost';
  return has(FACT.equal) ? undefined : 'other';
}

/** @param digests of what the API listed, by the places of rows that are not equal */
export function differences(idIndex: IdIndex, rowHashes: ReadonlyMap<number, string>): Difference[] {
  const found: Difference[] = [];
  for (let place = 0; place < idIndex.size; place++) {
    const facts = idIndex.facts(place);
    const kind = disagreement(facts);
    if (!kind) continue;
    const key = idIndex.key(place);
    const listed = facts & FACT.live ? 'live' : facts & FACT.tombstone ? 'tombstone' : undefined;
    const rowHash = listed && (rowHashes.get(place) ?? idIndex.rowHash(place));
    found.push({ kind, id: idOf(key), key, listed, rowHash });
  }
  return found;
}
