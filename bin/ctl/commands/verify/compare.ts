/** Compares the API's lists, read from the beginning, with the row states in the table. */
import { createAssignment } from '../../../../lambda/compose.ts';
import { readPages } from '../../../../lambda/core/read-pages.ts';
import { awaitsReplay } from '../../../../lambda/core/replay.ts';
import { rowReadOptions } from '../../../../lambda/core/row.ts';
import type { MemberNames, SavedStream } from '../../../../lambda/ports.ts';
import { rowKey, rowPrefix } from '../../../../lambda/store/item.ts';
import { decodeState } from '../../../../lambda/store/rows.ts';
import { PAGE_LIMIT, type StreamName, type SyncedStream } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import type { ConnectorAccess } from '../../access.ts';
import type { Context } from '../../context.ts';
import { RefusedError } from '../../errors.ts';
import { tryRead } from '../../read-result.ts';
import { isBatchOpen, scanRowStates } from '../../state.ts';
import { countDeadLetters } from '../dead-letters/counts.ts';
import { countEqualIds, differencesIn, EMPTY_ENTRY, type IdIndex, recordListed } from './id-index.ts';

export type StreamComparison = Awaited<ReturnType<typeof compareStreams>>[number];

type SavedStreams = ReadonlyMap<StreamName, SavedStream>;

/** @throws RefusedError, AwsCallError; the errors of the API's client */
export async function compareStreams(context: Context, access: ConnectorAccess, streams: readonly SyncedStream[]) {
  const { aws, signal } = context;
  const deployment = await context.deployment();
  const savedStreams = await readSavedStreams(access, streams);
  const idIndexes = await readStates(context, streams, savedStreams);

  const comparisons = [];
  for (const stream of streams) {
    const saved = savedStreams.get(stream.name)!;
    const { names: learned } = saved.checkpoint;
    const idIndex = idIndexes.get(stream.name);
    const walked = await walkStream(context, access, { stream, idIndex, learned });
    comparisons.push({
      ...walked,
      stream,
      /**
       * Number of listed ids whose last row is the last row sent, tombstones included. An id that
       * is removed on both sides and no longer listed does not count, so the number is never
       * greater than the number of listed rows. Undefined for a stream without row states.
       */
      equal: idIndex && countEqualIds(idIndex),
      found: idIndex ? differencesIn(idIndex) : [],
      /** Checkpoint, which says which row states await a replay. */
      checkpoint: saved.checkpoint,
      /** Whether a killed run left a batch unfinished. */
      batchOpen: isBatchOpen(saved),
      deadLetters: await tryRead(() => countDeadLetters(aws, deployment, stream.name), signal),
    });
  }
  return comparisons;
}

/** @throws RefusedError if another version wrote the state of a stream; AwsCallError */
export async function readSavedStreams(
  access: ConnectorAccess,
  streams: readonly SyncedStream[],
): Promise<SavedStreams> {
  const loaded = await access.loadCheckpoints(streams.map(({ name }) => name));
  return new Map(
    [...loaded.streams].map(([name, saved]) => {
      if (saved instanceof Error) throw new RefusedError(saved.message, { cause: saved });
      return [name, saved];
    }),
  );
}

/**
 * Reads the row states. The scan is eventually consistent, so row states that differ are read again
 * with strong consistency.
 */
async function readStates(
  context: Context,
  streams: readonly SyncedStream[],
  savedStreams: SavedStreams,
): Promise<ReadonlyMap<StreamName, IdIndex>> {
  const withStates = streams.filter(({ hasRowStates }) => hasRowStates);
  const idIndexes = new Map<StreamName, IdIndex>(withStates.map(({ name }) => [name, new Map()]));
  if (withStates.length === 0) return idIndexes;

  await scanRowStates(context, (name, item) => {
    const state = decodeState(item);
    const { status, rowHash: sentHash } = state;
    const sent = status === 'live' ? 'row' : 'removal';
    const saved = savedStreams.get(name);
    const stale = saved !== undefined && awaitsReplay(state, saved.checkpoint);
    const key = item['pk']!.S!.slice(rowPrefix(name).length);
    idIndexes.get(name)?.set(key, { ...EMPTY_ENTRY, sent, sentHash, stale });
  });
  return idIndexes;
}

export interface WalkInput {
  readonly stream: SyncedStream;
  /** Index of the rows. If undefined, rows are only counted. */
  readonly idIndex: IdIndex | undefined;
  readonly learned: MemberNames;
}

/**
 * Walks a list from its beginning and records each row in the index.
 *
 * @throws the errors of the API's client
 */
export async function walkStream({ clock, report, signal }: Context, access: ConnectorAccess, input: WalkInput) {
  const { stream, idIndex, learned } = input;
  const { name, path } = stream;
  using progress = report.progress(`Reading ${name} from the API, 500 rows per request. Nothing is sent or saved.`);
  const pages = readPages({
    source: access.api,
    clock,
    hash: sha256,
    path,
    ...rowReadOptions(stream, access.settings.threatAssetField, sha256),
    cursor: undefined,
    previous: undefined,
    rewinds: false,
    limit: PAGE_LIMIT.max,
    configuredNames: createAssignment(access.settings).configuredNames,
    learnedNames: learned,
    signal,
    onRefusedCursor: () => undefined,
  });

  const walked = {
    /** Rows in the API's list, repeats included. */
    rows: 0,
    /** Rows that cannot become events. The connector keeps them as dead letters. */
    unsendable: 0,
    /** Rows in the list that the filter excludes. */
    filtered: 0,
    /** Whether the API ended the list with a `null` cursor. If false, the API repeated a cursor. */
    ended: true,
  };
  for await (const page of pages) {
    walked.rows += page.rows.length;
    for (const row of page.rows) {
      if ('reason' in row) {
        walked.unsendable++;
        continue;
      }
      const isFiltered = row.filter === 'filtered';
      if (isFiltered) walked.filtered++;
      const key = rowKey(name, row.id, sha256).pk.S.slice(rowPrefix(name).length);
      const kind = isFiltered ? 'filtered' : row.deleted ? 'tombstone' : 'live';
      if (idIndex) recordListed(idIndex, key, { kind, rowHash: row.rowHash });
    }
    progress.advance(`${walked.rows} rows of ${name} read`);
    if (page.repeats) return { ...walked, ended: false };
  }
  return walked;
}
