import { type StreamEntry, StreamLog } from './stream-log.ts';

/** One version of a row that changes. */
export interface RowVersion extends StreamEntry {
  readonly id: string;
  /**
   * Stream position in microseconds since 1970. It is 0 until the version is placed in the stream.
   */
  position: number;
  /** Milliseconds since 1970, or the text that the control API gave. */
  readonly updatedAt: number | string;
  /** The other members as text, joined by commas. A number is the index of a generated row. */
  readonly members: string | number;
  /** Time of the removal in milliseconds since 1970. 0 means that the row is live. */
  readonly deletedAt: number;
  /** Id of the parent. Empty for a row without a parent. */
  readonly parentId: string;
  /** The previous version, if both stay in the stream. */
  readonly previous: RowVersion | undefined;
}

/** The changed members. All other members stay as they are in the previous version. */
export type VersionChange = Partial<Pick<RowVersion, 'updatedAt' | 'members' | 'deletedAt' | 'parentId'>>;

/** The newest version of every row of a kind, and the stream that delivers these versions. */
export class VersionedStream {
  readonly log = new StreamLog<RowVersion>();
  readonly latest = new Map<string, RowVersion>();
  /** Ids in the order of their creation. */
  readonly ids: string[] = [];
  readonly #nextPosition: (id: string) => number;
  readonly #keepsVersions: boolean;
  /** For each hidden row, the version that lists showed last. */
  readonly #hidden = new Map<string, RowVersion>();

  constructor(nextPosition: (id: string) => number, keepsVersions: boolean) {
    this.#nextPosition = nextPosition;
    this.#keepsVersions = keepsVersions;
  }

  /**
   * Delivers the row's next version. The version gets a new position, unless a past position is
   * given in microseconds.
   */
  deliver(id: string, change: VersionChange, position = this.#nextPosition(id)): RowVersion {
    const before = this.latest.get(id);
    const version = this.record(id, change);
    if (before && !this.#keepsVersions) this.log.withdraw(before);
    version.position = position;
    this.log.append(version);
    return version;
  }

  /** Takes every version of the row out of the stream. */
  hide(id: string): void {
    const shown = this.latest.get(id);
    if (!shown) return;
    for (let version: RowVersion | undefined = shown; version; version = version.previous) this.log.withdraw(version);
    if (shown.position > 0) this.#hidden.set(id, shown);
    this.record(id, {}, false);
  }

  /**
   * Shows a hidden row again, at its old position unless the row has changed since it was hidden.
   */
  show(id: string): void {
    const shown = this.#hidden.get(id);
    const latest = this.latest.get(id)!;
    this.#hidden.delete(id);
    if (!shown || shown.members !== latest.members || shown.parentId !== latest.parentId) {
      this.deliver(id, {});
      return;
    }
    const version = this.record(id, {}, false);
    version.position = shown.position;
    this.log.insert(version, shown.seq);
  }

  /**
   * Records the row's next version without showing it to anyone.
   *
   * @param linked whether the previous version stays in the stream
   */
  record(id: string, change: VersionChange, linked = this.#keepsVersions): RowVersion {
    const before = this.latest.get(id);
    if (!before) this.ids.push(id);
    const version: RowVersion = {
      seq: 0,
      id,
      position: 0,
      updatedAt: change.updatedAt ?? before?.updatedAt ?? 0,
      members: change.members ?? before?.members ?? '',
      deletedAt: change.deletedAt ?? before?.deletedAt ?? 0,
      parentId: change.parentId ?? before?.parentId ?? '',
      previous: linked ? before : undefined,
    };
    this.latest.set(id, version);
    return version;
  }
}
/**
 * Creates stream positions in microseconds since 1970, which never decrease. The changes of one
 * projection batch share a position.
 *
 * @param withholdMs milliseconds for which a change is withheld; a batch that is already shown
 * takes no further change
 */
export function createPositions(
  clock: () => number,
  random: () => number,
  { tieSize, withholdMs }: { readonly tieSize: number; readonly withholdMs: number },
): (id: string) => number {
  let last = 0;
  /**
   * Ids in the batch at position `last`. A batch contains a row only once, so that two versions of
   * a row never share a position.
   */
  let batch = new Set<string>();
  return id => {
    const joins = last > 0 && tieSize > 1 && random() < 1 - 1 / tieSize;
    const isShown = withholdMs > 0 && last <= (clock() - withholdMs) * 1000;
    if (!joins || isShown || batch.has(id)) {
      last = Math.max(Math.floor(clock()) * 1000, last + 1);
      batch = new Set();
    }
    batch.add(id);
    return last;
  };
}

/** Formats a position as the API does: ISO 8601 with six fractional digits. */
export function positionText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0');
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}Z`;
}
