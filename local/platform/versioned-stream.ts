import { type Entry, StreamLog } from './stream-log.ts';

/** One version of an asset or a threat. */
export interface Version extends Entry {
  readonly id: string;
  /** Rank of its resource by creation. */
  readonly ordinal: number;
  /** Microseconds since the epoch; 0 until it has been placed in the stream. */
  position: number;
  /** Milliseconds since the epoch, or the text that the control side gave. */
  readonly updatedAt: number | string;
  /** The other members as text, joined by commas; a number is the index of a generated row. */
  readonly members: string | number;
  /** Milliseconds since the epoch; 0 = live. */
  readonly deletedAt: number;
  /** Empty on assets. */
  readonly assetId: string;
  /** The version before, where both stay in the stream. */
  readonly previous: Version | undefined;
}

/** What a change gives; the rest is taken over from the version before. */
export type Change = Partial<Pick<Version, 'updatedAt' | 'members' | 'deletedAt' | 'assetId'>>;

/** The newest version of every resource of a kind, and the stream that delivers them. */
export class VersionedStream {
  readonly log = new StreamLog<Version>();
  readonly latest = new Map<string, Version>();
  /** Ids by ordinal. */
  readonly ids: string[] = [];
  readonly #nextPosition: (id: string) => number;
  readonly #keepsVersions: boolean;

  constructor(nextPosition: (id: string) => number, keepsVersions: boolean) {
    this.#nextPosition = nextPosition;
    this.#keepsVersions = keepsVersions;
  }

  /** Delivers the resource's next version at a new position. `position` in microseconds, for what happened before the start. */
  deliver(id: string, change: Change, position = this.#nextPosition(id)): Version {
    const before = this.latest.get(id);
    const version = this.#next(id, change);
    if (before && !this.#keepsVersions) this.log.withdraw(before);
    version.position = position;
    this.log.append(version);
    return version;
  }

  /** Records the resource's next version without showing it to anyone. */
  record(id: string, change: Change): Version {
    return this.#next(id, change);
  }

  /** Takes every version of the resource out of the stream. */
  hide(id: string): void {
    for (let version = this.latest.get(id); version; version = version.previous) this.log.withdraw(version);
    if (this.latest.has(id)) this.#next(id, {}, false);
  }

  #next(id: string, change: Change, linked = this.#keepsVersions): Version {
    const before = this.latest.get(id);
    const version: Version = {
      seq: 0,
      id,
      ordinal: before?.ordinal ?? this.ids.push(id) - 1,
      position: 0,
      updatedAt: change.updatedAt ?? before?.updatedAt ?? 0,
      members: change.members ?? before?.members ?? '',
      deletedAt: change.deletedAt ?? before?.deletedAt ?? 0,
      assetId: change.assetId ?? before?.assetId ?? '',
      previous: linked ? before : undefined,
    };
    this.latest.set(id, version);
    return version;
  }
}
