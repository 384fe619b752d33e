/** Compares the API's lists, read from the beginning, with the row states in the table. */
import { readPages } from '../../../../lambda/core/read-pages.ts';
import { readRow, rowCut } from '../../../../lambda/core/row.ts';
import type { MemberNames, SavedStream } from '../../../../lambda/ports.ts';
import { rowKey, rowPrefix } from '../../../../lambda/store/item.ts';
import { decodeState } from '../../../../lambda/store/rows.ts';
import { PAGE_LIMIT, type StreamName, type SyncedStream } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import type { Access } from '../../access.ts';
import type { ObjectCount } from '../../bucket.ts';
import type { Context } from '../../context.ts';
import { RefusedError } from '../../errors.ts';
import { type ReadResult, tryRead } from '../../read-result.ts';
import type { Progress } from '../../report.ts';
import { scanRowStates, unconfirmed } from '../../state.ts';
import { deadLetterCount } from '../dead-letters/counts.ts';
import {
  type Difference,
  differences,
  disagreement,
  type IdEntry,
  type IdIndex,
  recordListed,
  UNKNOWN_ID,
} from './id-index.ts';

/** The list of a stream, read from its beginning. */
export interface Walked {
  /** Rows in the API's list, repeats included. */
  readonly rows: number;
  /** Rows that cannot become events. The connector keeps them as dead letters. */
  readonly unsendable: number;
  /** Rows in the list that the filter excludes. */
  readonly withheld: number;
  /** The API ended the list with a `null` cursor instead of repeating a cursor. */
  readonly ended: boolean;
}

export interface Comparison extends Walked {
  readonly stream: SyncedStream;
  /**
   * Ids of the list whose last row is the last one sent, tombstones included. An id that is removed on both sides and no longer listed
   * does not count, so there are never more than rows in the list. Undefined for a stream without row states.
   */
  readonly equal: number | undefined;
  /** Ids that the SIEM was last sent as rows, undefined for a stream without row states. */
  readonly live: number | undefined;
  readonly found: readonly Difference[];
  /** Generation of the checkpoint. Older states await a replay. */
  readonly generation: number;
  /** Ids that a killed run may have sent without recording it. */
  readonly unconfirmed: number;
  readonly deadLetters: ReadResult<ObjectCount>;
}

type SavedStreams = ReadonlyMap<StreamName, SavedStream>;

/** @throws RefusedError, AwsCallError; as the API's client does */
export async function compare(
  context: Context,
  access: Access,
  streams: readonly SyncedStream[],
): Promise<Comparison[]> {
  const { aws, report, signal } = context;
  const deployment = await context.deployment();
  const savedStreams = await savedStreamsOf(access, streams);
  const idIndexes = await readStates(context, streams, savedStreams);
  const comparisons: Comparison[] = [];
  for (const stream of streams) {
    const { name } = stream;
    const saved = savedStreams.get(name)!;
    const { names: learned, generation } = saved.checkpoint;
    const idIndex = idIndexes.get(name);
    const live = idIndex && countIds(idIndex, ({ sent }) => sent === 'row');
    const title = `Reading ${name} from the API, 500 rows per request. Nothing is sent or saved.`;
    using progress = report.progress(title);
    const walked = await walkStream(context, { access, stream, idIndex, learned, progress });
    comparisons.push({
      ...walked,
      stream,
      equal: idIndex && countIds(idIndex, isEqual),
      live,
      found: idIndex ? differences(idIndex) : [],
      generation,
      unconfirmed: unconfirmed(saved),
      deadLetters: await tryRead(() => deadLetterCount(aws, deployment, name), signal),
    });
  }
  return comparisons;
}

function countIds(idIndex: IdIndex, isCounted: (entry: IdEntry) => boolean): number {
  let count = 0;
  for (const entry of idIndex.values()) if (isCounted(entry)) count++;
  return count;
}

function isEqual(entry: IdEntry): boolean {
  const isListed = entry.listed === 'live' || entry.listed === 'tombstone';
  return isListed && entry.sent !== undefined && !disagreement(entry);
}

async function savedStreamsOf(access: Access, streams: readonly SyncedStream[]): Promise<SavedStreams> {
  const loaded = await access.checkpoints.load(streams.map(({ name }) => name));
  return new Map(
    [...loaded.streams].map(([name, saved]) => {
      if (saved instanceof Error) throw new RefusedError(saved.message, { cause: saved });
      return [name, saved];
    }),
  );
}

/** Counts unconfirmed ids again: a run in progress has some until it commits. */
export async function unconfirmedAgain<T extends Comparison>(access: Access, comparisons: readonly T[]): Promise<T[]> {
  const streams = comparisons.map(({ stream }) => stream);
  const savedStreams = await savedStreamsOf(access, streams);
  return comparisons.map(each => ({ ...each, unconfirmed: unconfirmed(savedStreams.get(each.stream.name)!) }));
}

/** Differences are read again with strong consistency. */
async function readStates(
  context: Context,
  streams: readonly SyncedStream[],
  savedStreams: SavedStreams,
): Promise<ReadonlyMap<StreamName, IdIndex>> {
  const withStates = streams.filter(({ hasRowStates }) => hasRowStates);
  const idIndexes = new Map<StreamName, IdIndex>(withStates.map(({ name }) => [name, new Map()]));
  if (withStates.length === 0) return idIndexes;
  await scanRowStates(context, { title: 'Reading' }, (name, item) => {
    const idIndex = idIndexes.get(name);
    if (!idIndex) return;
    const { status, rowHash: sentHash, generation } = decodeState(item);
    const sent = status === 'live' ? 'row' : 'removal';
    const stale = generation < savedStreams.get(name)!.checkpoint.generation;
    idIndex.set(item['pk']!.S!.slice(rowPrefix(name).length), { ...UNKNOWN_ID, sent, sentHash, stale });
  });
  return idIndexes;
}

export interface WalkInput {
  readonly access: Access;
  readonly stream: SyncedStream;
  /** Undefined: rows are only counted. */
  readonly idIndex: IdIndex | undefined;
  readonly learned: MemberNames;
  readonly progress: Progress;
}

/** Walks a list from its beginning and records each row in the index. @throws as the API's client does */
export async function walkStream({ clock, signal }: Context, input: WalkInput): Promise<Walked> {
  const { access, stream, idIndex, learned, progress } = input;
  const counts = { rows: 0, unsendable: 0, withheld: 0 };
  const list = readPages({
    source: access.api,
    clock,
    hash: sha256,
    path: stream.path,
    cut: rowCut(stream, access.settings.threatAssetField),
    cursor: undefined,
    previous: undefined,
    rewinds: false,
    limit: PAGE_LIMIT.max,
    configuredNames: access.settings.names,
    learnedNames: learned,
    signal,
    onRefusedCursor: () => undefined,
  });
  for await (const page of list) {
    counts.rows += page.rows.length;
    for (const element of page.rows) {
      const row = readRow(element, stream, sha256);
      if ('reason' in row) {
        counts.unsendable++;
        continue;
      }
      const isWithheld = row.filter === 'withhold';
      if (isWithheld) counts.withheld++;
      const key = rowKey(stream.name, row.id, sha256).pk.S.slice(rowPrefix(stream.name).length);
      const kind = isWithheld ? 'filtered' : row.deleted ? 'tombstone' : 'live';
      if (idIndex) recordListed(idIndex, key, { kind, rowHash: row.rowHash });
    }
    progress.advance(`${counts.rows} rows of ${stream.name} read`);
    if (page.repeats) return { ...counts, ended: false };
  }
  return { ...counts, ended: true };
}
