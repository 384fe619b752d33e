/**
 * The streams, a row of facts each. Shared by the function and the infrastructure.
 *
 * Adding a stream means adding a row here: its settings, metrics, alarms and place in the walk follow from it.
 */
import type { RowFilter } from './ports.ts';

export interface Stream {
  /** Name in events, metrics, checkpoints and results. */
  readonly name: string;
  /** One row in words. For streams with row states also the command that looks one up, and its endpoint at the API simulator. */
  readonly singular: string;
  /** Path below the base URL; absent where the specification does not show it and the configuration must. */
  readonly path?: string;
  /** Such a stream is on when its path is given by this option. */
  readonly pathOption?: string;
  /** Streams of one group run one after the other, in the order of this table. Groups run in parallel. */
  readonly group: string;
  /**
   * Whether the table keeps a row state per id, for rows that change. Without, only the window recognizes a row that was read before: for
   * immutable rows, which are too many to keep one by one.
   */
  readonly hasRowStates: boolean;
  /** Kind of the event that carries a row of this stream. */
  readonly kind: 'upsert' | 'dns_block';
  /** Member of the row that becomes the event's `time`. */
  readonly timeMember: string;
  /** Whether removals arrive as rows with `deleted: true`. */
  readonly tombstones: boolean;
  /**
   * Stream whose removals silently take rows of this one with them: such rows are withdrawn explicitly. Only one stream can have it, because the
   * first child clears the list of removals, so rows of a second one would never be withdrawn.
   */
  readonly cascadesFrom?: string;
}

export const STREAMS = [
  {
    name: 'assets',
    singular: 'asset',
    path: '/v1/assets',
    group: 'inventory',
    hasRowStates: true,
    kind: 'upsert',
    timeMember: 'updated_at',
    tombstones: true,
  },
  {
    name: 'threats',
    singular: 'threat',
    path: '/v1/threats',
    group: 'inventory',
    hasRowStates: true,
    kind: 'upsert',
    timeMember: 'updated_at',
    tombstones: false,
    cascadesFrom: 'assets',
  },
  {
    name: 'dns-blocks',
    singular: 'DNS block',
    pathOption: 'dnsBlocksPath',
    group: 'dns',
    hasRowStates: false,
    kind: 'dns_block',
    timeMember: 'blocked_at',
    tombstones: false,
  },
] as const satisfies readonly Stream[];

export type StreamName = (typeof STREAMS)[number]['name'];

/** Name of a stream in options: `dnsBlocks`. */
export type StreamKey = CamelCase<StreamName>;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

export function streamKey(name: StreamName): StreamKey {
  return name.replace(/-(.)/g, (_, first: string) => first.toUpperCase()) as StreamKey;
}

/** A stream whose path must be given. */
export type StreamWithoutPath = Exclude<(typeof STREAMS)[number], { readonly path: string }>;

export const STREAMS_WITHOUT_PATH: readonly StreamWithoutPath[] = STREAMS.filter(stream => 'pathOption' in stream);

/** A stream whose rows change. */
export type VersionedName = Extract<(typeof STREAMS)[number], { readonly hasRowStates: true }>['name'];

export type NamedStream = Stream & { readonly name: StreamName };

/** A stream, and which of its rows are sent. Absent: all of them, whole. */
export type FilteredStream = Stream & { readonly filter?: RowFilter | undefined };

/** A stream that is on. */
export type SyncedStream = NamedStream & FilteredStream & { readonly path: string };

/**
 * The streams that are on, with their paths: those with a path of their own, and those that are given one.
 *
 * @param given what is configured as the path of a stream; nothing or an empty text where it is off
 */
export function streamsOn(given: (stream: StreamWithoutPath) => string | undefined): SyncedStream[] {
  return STREAMS.flatMap((stream): SyncedStream[] => {
    const path = 'path' in stream ? stream.path : given(stream);
    return path ? [{ ...stream, path }] : [];
  });
}

/** The facts of a stream. */
export function streamOf(name: StreamName): NamedStream {
  return STREAMS.find(stream => stream.name === name)!;
}

/** The stream whose rows disappear with those of another. */
export function childOf(parents: string): NamedStream | undefined {
  return STREAMS.find(stream => 'cascadesFrom' in stream && stream.cascadesFrom === parents);
}

/** Members with a meaning of their own in rows of any stream. */
export const ROW_MEMBERS = ['id', 'stream_position', 'updated_at', 'deleted', 'deleted_at', 'blocked_at'] as const;

/** Rows per page. The API refuses a `limit` outside these bounds and never clamps it (specification, Limits). */
export const PAGE_LIMIT = { min: 1, max: 500, default: 500 } as const;
