/**
 * Describes each stream in one row. The function and the infrastructure share these rows.
 *
 * To add a stream, add a row here. The stream's settings, metrics, alarms and place in the walk
 * follow from the row.
 */
import type { RowFilter } from './ports.ts';

export interface Stream {
  /** Name of the stream in events, metrics, checkpoints and results. */
  readonly name: string;
  /**
   * Noun for one row, for example `asset`. For a stream with row states it is also the API
   * simulator's name of the endpoint that returns one row.
   */
  readonly singular: string;
  /**
   * Path below the base URL. Absent when the specification does not show the path, so that the
   * configuration must give it.
   */
  readonly path?: string;
  /**
   * Option that gives the path, if the specification does not show it. The stream is on when the
   * option is set.
   */
  readonly pathOption?: string;
  /**
   * Streams of one group run one after the other, in the order of this table. Groups run in
   * parallel.
   */
  readonly group: string;
  /**
   * Whether the table keeps a row state for each id, because the rows change. Without row states
   * only the window recognizes a row that was read before. Immutable rows have no row states,
   * because there are too many of them.
   */
  readonly hasRowStates: boolean;
  /** Kind of the event that carries a row of this stream. */
  readonly kind: 'upsert' | 'dns_block';
  /** Member of the row that becomes the event's `time`. */
  readonly timeMember: string;
  /** Whether removals arrive as rows with `deleted: true`. */
  readonly tombstones: boolean;
  /**
   * Stream whose removals silently remove rows of this stream as well, so that such rows must be
   * withdrawn explicitly. Only one stream can have this member, because the first child stream
   * clears the list of removals, so rows of a second child stream would never be withdrawn.
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

/** Name of a stream in options, for example `dnsBlocks`. */
export type StreamKey = CamelCase<StreamName>;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

export function streamKey(name: StreamName): StreamKey {
  return name.replace(/-(.)/g, (_, first: string) => first.toUpperCase()) as StreamKey;
}

/** A stream whose path the configuration must give. */
export type StreamWithoutPath = Exclude<(typeof STREAMS)[number], { readonly path: string }>;

export const STREAMS_WITHOUT_PATH: readonly StreamWithoutPath[] = STREAMS.filter(stream => 'pathOption' in stream);

/** Name of a stream whose rows change. */
export type VersionedStreamName = Extract<(typeof STREAMS)[number], { readonly hasRowStates: true }>['name'];

export type NamedStream = Stream & { readonly name: StreamName };

/**
 * A stream with the filter of its rows. Without a filter all rows are sent, with all of their
 * members.
 */
export type FilteredStream = Stream & { readonly filter?: RowFilter | undefined };

/** A stream that is switched on. */
export type SyncedStream = NamedStream & FilteredStream & { readonly path: string };

/**
 * Returns the streams that are switched on: streams with a known path, and streams whose path is
 * configured.
 *
 * @param given returns the configured path of a stream; undefined or empty when the stream is off
 */
export function enabledStreams(given: (stream: StreamWithoutPath) => string | undefined): SyncedStream[] {
  return STREAMS.flatMap((stream): SyncedStream[] => {
    const path = 'path' in stream ? stream.path : given(stream);
    return path ? [{ ...stream, path }] : [];
  });
}

export function streamOf(name: StreamName): NamedStream {
  return STREAMS.find(stream => stream.name === name)!;
}

/** Returns the stream whose rows disappear together with rows of `parents`. */
export function childStreamOf(parents: string): NamedStream | undefined {
  return STREAMS.find(stream => 'cascadesFrom' in stream && stream.cascadesFrom === parents);
}

/** Members that have a meaning of their own in the rows of any stream. */
export const RESERVED_ROW_MEMBERS = [
  'id',
  'stream_position',
  'updated_at',
  'deleted',
  'deleted_at',
  'blocked_at',
] as const;

/**
 * Numbers of rows per page. The API refuses a `limit` outside of these bounds, and does not clamp
 * it (specification, Limits).
 */
export const PAGE_LIMIT = { min: 1, max: 500, default: 500 } as const;
