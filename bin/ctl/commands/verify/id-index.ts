/**
 * Index of the last event and the last listed row of each id, and the differences between this
 * event and this row.
 *
 * The keys are the same as in the row states: `=asset-7f3a`, or `#<hash>` for a long id.
 */
import { idInKey } from '../../../../lambda/store/item.ts';

export type IdIndex = Map<string, IdEntry>;

/**
 * Entry of one id. It is a flat object, because nested objects would take half as much memory
 * again.
 */
export interface IdEntry {
  /**
   * Last event sent to the SIEM: the row, or its removal or withdrawal. Undefined if no event was
   * sent.
   */
  readonly sent: 'row' | 'removal' | undefined;
  /**
   * Hash of the row sent. Empty if the filter withdrew the row, or if the SIEM never had the row.
   */
  readonly sentHash: string;
  /** Whether the event is older than the last replay. */
  readonly stale: boolean;
  /**
   * Last row of the API's list. `filtered` means that the row is live, but the filter excludes it.
   * Undefined if the list does not have the id.
   */
  listed: 'live' | 'tombstone' | 'filtered' | undefined;
  listedHash: string;
}

export const EMPTY_ENTRY: IdEntry = { sent: undefined, sentHash: '', stale: false, listed: undefined, listedHash: '' };

/** Records a row of the API's list. The last row of an id counts, as it does for the SIEM. */
export function recordListed(
  idIndex: IdIndex,
  key: string,
  row: { readonly kind: NonNullable<IdEntry['listed']>; readonly rowHash: string },
): void {
  const entry = idIndex.get(key) ?? { ...EMPTY_ENTRY };
  idIndex.set(key, entry);

  entry.listed = row.kind;
  // Equal hashes share one string, to save memory.
  entry.listedHash = row.rowHash === entry.sentHash ? entry.sentHash : row.rowHash;
}

/**
 * Kinds of differences, each with the command that heals it. `resync` sends rows whose state
 * differs from the API. A row whose state equals the API is sent only by `resync --send-all`.
 */
export const DIFFERENCE_KINDS = {
  missing: { text: 'never sent to the SIEM', healedBy: 'resync' },
  other: { text: 'sent with other content', healedBy: 'resync' },
  hidden: { text: 'sent as removed, but live at the API', healedBy: 'resync' },
  ghost: { text: 'live at the SIEM, but removed from the API', healedBy: 'resync' },
  unfiltered: { text: 'live at the SIEM, but excluded by the filter', healedBy: 'resync' },
  stale: { text: 'not sent again since the last replay', healedBy: 'resync --send-all' },
} as const;

export type DifferenceKind = keyof typeof DIFFERENCE_KINDS;

export type Difference = ReturnType<typeof differencesIn>[number];

/** @returns undefined if both sides agree */
export function differenceKindOf({ sent, sentHash, stale, listed, listedHash }: IdEntry): DifferenceKind | undefined {
  if (listed === 'filtered') return sent === 'row' ? 'unfiltered' : undefined;
  if (sent === undefined) return listed === 'live' ? 'missing' : undefined;
  // The connector does not send the tombstone of an asset that was never sent or that the filter
  // withdrew, so there is no difference.
  if (sentHash === '' && listed !== 'live') return undefined;

  if (stale && listed) return 'stale';
  if (sent === 'row' && listed !== 'live') return 'ghost';
  if (sent === 'removal' && listed === 'live') return 'hidden';
  return listed && listedHash !== sentHash ? 'other' : undefined;
}

/** Number of listed ids for which the last row in the list equals the last row sent to the SIEM. */
export function countEqualIds(idIndex: IdIndex): number {
  let count = 0;
  for (const entry of idIndex.values()) {
    const isListed = entry.listed === 'live' || entry.listed === 'tombstone';
    if (isListed && entry.sent !== undefined && !differenceKindOf(entry)) count++;
  }
  return count;
}

/**
 * The ids that differ. `id` is undefined if the table has only a hash of the id. `key` is the key
 * of the row state.
 */
export function differencesIn(idIndex: IdIndex) {
  return [...idIndex].flatMap(([key, entry]) => {
    const kind = differenceKindOf(entry);
    return kind ? [{ kind, id: idInKey(key), key, listed: entry.listed, listedHash: entry.listedHash }] : [];
  });
}
