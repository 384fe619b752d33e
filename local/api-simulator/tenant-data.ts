import {
  childStreamOf,
  STREAMS,
  type Stream,
  type StreamName,
  streamOf,
  type VersionedStreamName,
} from '../../lambda/streams.ts';
import { type ImmutableRow, ImmutableStream } from './immutable-stream.ts';
import { ProblemError } from './problem.ts';
import { type RowInput, readControlRow } from './rows.ts';
import type { SimulatorSettings } from './settings.ts';
import { createPositions, type RowVersion, VersionedStream } from './versioned-stream.ts';

/** Streams with row states hold rows that change. The other streams hold rows that never change. */
export type TenantStreams = {
  readonly [Name in StreamName]: Name extends VersionedStreamName ? VersionedStream : ImmutableStream;
};

export function isVersionedStream(name: StreamName): name is VersionedStreamName {
  return streamOf(name).hasRowStates;
}

/**
 * The organization's rows, and the changes to them. A change that is refused throws a ProblemError.
 */
export class TenantData {
  readonly streams: TenantStreams;
  /** Ids of child rows by the id of their parent. */
  readonly #childIds = new Map<string, Set<string>>();
  readonly #clock: () => number;
  readonly #parentMember: string;
  readonly #restoresInPlace: boolean;

  constructor(clock: () => number, random: () => number, settings: SimulatorSettings) {
    const create = ({ hasRowStates }: Stream) =>
      hasRowStates
        ? new VersionedStream(createPositions(clock, random, settings), settings.retention === 'every-version')
        : new ImmutableStream(clock, random, settings);
    this.streams = Object.fromEntries(STREAMS.map(stream => [stream.name, create(stream)])) as unknown as TenantStreams;
    this.#clock = clock;
    this.#parentMember = settings.threatAssetMember;
    this.#restoresInPlace = settings.restoredThreats === 'old-positions';
  }

  /**
   * Creates a row, or replaces the content of a row that may change. The row may give its time,
   * which is now by default.
   */
  put(name: StreamName, row: RowInput): void {
    const { timeMember, cascadesFrom } = streamOf(name);
    const { id, given, members } = readControlRow(row, [timeMember, ...(cascadesFrom ? [this.#parentMember] : [])]);
    const time = given.get(timeMember);
    if (!isVersionedStream(name)) this.streams[name].put(id, time, members);
    else if (cascadesFrom)
      this.#putChild(name, id, given.get(this.#parentMember), { members, updatedAt: time ?? this.#clock() });
    else {
      if (this.streams[name].latest.get(id)?.deletedAt) throw conflict(name, 'is removed: restore it.');
      this.streams[name].deliver(id, { members, updatedAt: time ?? this.#clock() });
    }
  }

  /**
   * Puts a row that has a parent. The parent must exist. While the parent is removed, no list has
   * the row.
   */
  #putChild(
    name: VersionedStreamName,
    id: string,
    parent: string | undefined,
    change: { members: string; updatedAt: number | string },
  ) {
    const stream = this.streams[name];
    const parentId = parent ?? stream.latest.get(id)?.parentId;
    if (!parentId)
      throw new ProblemError('request/malformed', `A ${streamOf(name).singular} needs "${this.#parentMember}".`);
    const { deletedAt } = this.#known(streamOf(name).cascadesFrom as VersionedStreamName, parentId);
    this.assign(name, id, parentId);
    if (!deletedAt) {
      stream.deliver(id, { ...change, parentId });
      return;
    }
    stream.hide(id);
    stream.record(id, { ...change, parentId });
  }

  /** Removes a live row. Its tombstone is delivered, and its child rows leave the lists. */
  remove(name: VersionedStreamName, id: string): void {
    if (this.#known(name, id).deletedAt) throw conflict(name, 'is already removed.');
    this.#deliverTombstone(name, id);
    this.#eachChild(name, id, (children, child) => children.hide(child));
  }

  /**
   * Restores a removed row. It is delivered as live data, and its child rows reappear unchanged.
   */
  restore(name: VersionedStreamName, id: string): void {
    if (!this.#known(name, id).deletedAt) throw conflict(name, 'is not removed.');
    this.streams[name].deliver(id, { deletedAt: 0, updatedAt: this.#clock() });
    this.#eachChild(name, id, (children, child) => {
      if (this.#restoresInPlace) children.show(child);
      else children.deliver(child, {});
    });
  }

  /** Delivers the tombstone of a row that was created and removed before any list showed it. */
  tombstoneUnseen(name: VersionedStreamName, id: string): void {
    if (this.streams[name].latest.has(id)) throw conflict(name, 'exists.');
    this.#deliverTombstone(name, id);
  }

  /** Delivers a row again, unchanged, at a new position. */
  redeliver(name: VersionedStreamName, id: string): void {
    const known = this.streams[name].latest.get(id);
    if (!known) throw new ProblemError('resource/not-found', 'No such resource.');
    const { cascadesFrom } = streamOf(name);
    if (this.isHidden(name, known)) {
      const parent = streamOf(cascadesFrom as VersionedStreamName).singular;
      throw conflict(name, `is hidden: its ${parent} is removed, so no list shows it.`);
    }
    this.streams[name].deliver(id, {});
  }

  /** Whether no list shows the row because its parent is removed. */
  isHidden(name: StreamName, row: RowVersion | ImmutableRow): boolean {
    const parentId = 'parentId' in row ? row.parentId : '';
    const parents = streamOf(name).cascadesFrom as VersionedStreamName | undefined;
    return parents !== undefined && Boolean(this.streams[parents].latest.get(parentId)?.deletedAt);
  }

  /** Whether lists show the row as live data. */
  isLive(name: VersionedStreamName, id: string): boolean {
    const version = this.streams[name].latest.get(id);
    return version !== undefined && version.deletedAt === 0 && !this.isHidden(name, version);
  }

  /** Number of rows that the stream ever had, removed rows included. */
  count(name: StreamName): number {
    const { ids } = this.streams[name];
    return 'size' in ids ? ids.size : ids.length;
  }

  /** Records the parent of a child row. */
  assign(name: VersionedStreamName, id: string, parentId: string): void {
    const before = this.streams[name].latest.get(id)?.parentId;
    if (before && before !== parentId) this.#childIds.get(before)?.delete(id);
    const ids = this.#childIds.get(parentId);
    if (ids) ids.add(id);
    else this.#childIds.set(parentId, new Set([id]));
  }

  #deliverTombstone(name: VersionedStreamName, id: string): void {
    this.streams[name].deliver(id, { deletedAt: this.#clock(), updatedAt: this.#clock() });
  }

  #eachChild(name: VersionedStreamName, id: string, act: (children: VersionedStream, child: string) => void): void {
    const children = childStreamOf(name);
    if (!children) return;
    for (const child of this.#childIds.get(id) ?? []) act(this.streams[children.name as VersionedStreamName], child);
  }

  #known(name: VersionedStreamName, id: string): RowVersion {
    const version = this.streams[name].latest.get(id);
    if (!version) throw new ProblemError('resource/not-found', `No such ${streamOf(name).singular}.`);
    return version;
  }
}

function conflict(name: StreamName, what: string): ProblemError {
  return new ProblemError('resource/conflict', `The ${streamOf(name).singular} ${what}`);
}
