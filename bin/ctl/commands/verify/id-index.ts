/**
 * The last event sent and the last row listed of each id, and where the two differ.
 *
 * Keys are those of the row states: `=asset-7f3a`, or `#<hash>` for a long id.
 */
import { idOf } from '../../../../lambda/store/item.ts';

export type IdIndex = Map<string, IdEntry>;

/** One flat object for each id, because objects within it would take half as much memory again. */
export interface IdEntry {
  /** Last event sent to the SIEM: the row, or its removal or withdrawal. Undefined if no event was sent. */
  readonly sent: 'row' | 'removal' | undefined;
  /** Hash of the row sent. Empty: the filter withdrew the row, or the SIEM never had it. */
  readonly sentHash: string;
  /** The event is older than the last replay. */
  readonly stale: boolean;
  /** Last row of the API's list. `filtered`: live, and the filter excludes it. Undefined: the list does not have the id. */
  listed: 'live' | 'tombstone' | 'filtered' | undefined;
  listedHash: string;
}

export const UNKNOWN_ID: IdEntry = { sent: undefined, sentHash: '', stale: false, listed: undefined, listedHash: '' };

/** Records a row of the API's list. The last one of an id counts, as it does for the SIEM. */
export function recordListed(
  idIndex: IdIndex,
  key: string,
  row: { readonly kind: NonNullable<IdEntry['listed']>; readonly rowHash: string },
): void {
  const entry = idIndex.get(key) ?? { ...UNKNOWN_ID };
  idIndex.set(key, entry);

  entry.listed = row.kind;
  // The same text is kept once.
  entry.listedHash = row.rowHash === entry.sentHash ? entry.sentHash : row.rowHash;
}

/**
 * Kinds of differences, with the command that heals each. `resync` sends where state and API differ. Where the state is as the API has
 * the row, only `resync --send-all` sends it.
 */
export const DIFFERENCES = {
  missing: { text: 'never sent to the SIEM', healedBy: 'resync' },
  other: { text: 'sent with other content', healedBy: 'resync' },
  hidden: { text: 'sent as removed, but live at the API', healedBy: 'resync' },
  ghost: { text: 'live at the SIEM, but removed from the API', healedBy: 'resync' },
  unfiltered: { text: 'live at the SIEM, but excluded by the filter', healedBy: 'resync' },
  stale: { text: 'not sent again since the last replay', healedBy: 'resync --send-all' },
} as const;

export type DifferenceKind = keyof typeof DIFFERENCES;

export type Difference = ReturnType<typeof differences>[number];

/** @returns undefined if both sides agree */
export function disagreement({ sent, sentHash, stale, listed, listedHash }: IdEntry): DifferenceKind | undefined {
  if (listed === 'filtered') return sent === 'row' ? 'unfiltered' : undefined;
  if (sent === undefined) return listed === 'live' ? 'missing' : undefined;
  // The tombstone of an asset that was never sent, or that the filter withdrew, is not sent.
  if (sentHash === '' && listed !== 'live') return undefined;

  if (stale && listed) return 'stale';
  if (sent === 'row' && listed !== 'live') return 'ghost';
  if (sent === 'removal' && listed === 'live') return 'hidden';
  return listed && listedHash !== sentHash ? 'other' : undefined;
}

/** Number of listed ids for which the last row in the list equals the last row sent to the SIEM. */
export function equalIds(idIndex: IdIndex): number {
  let count = 0;
  for (const entry of idIndex.values()) {
    const isListed = entry.listed === 'live' || entry.listed === 'tombstone';
    if (isListed && entry.sent !== undefined && !disagreement(entry)) count++;
  }
  return count;
}

/** The ids that differ. `id` is undefined if the table has only its hash. `key` is the key of the row state. */
export function differences(idIndex: IdIndex) {
  return [...idIndex].flatMap(([key, entry]) => {
    const kind = disagreement(entry);
    return kind ? [{ kind, id: idOf(key), key, listed: entry.listed, listedHash: entry.listedHash }] : [];
  });
}
