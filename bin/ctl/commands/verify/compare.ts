/** Compares the API's lists, read from the beginning, with the row states in the table. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { initialState } from '../../../../lambda/core/decide.ts';
import { readPages } from '../../../../lambda/core/read-pages.ts';
import { type Row, readRow, rowCut } from '../../../../lambda/core/row.ts';
import type { MemberNames, RowState, SavedStream } from '../../../../lambda/ports.ts';
import { type Item, ROW_PARTITIONS, rowKey, rowPrefix } from '../../../../lambda/store/item.ts';
import { decodeState } from '../../../../lambda/store/rows.ts';
import { PAGE_LIMIT, type StreamName, type SyncedStream } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import type { Access } from '../../access.ts';
import type { Aws } from '../../aws.ts';
import type { Context } from '../../context.ts';
import { AwsCallError, RefusedError } from '../../errors.ts';
import { type ReadResult, tryRead } from '../../read-result.ts';
import type { Progress } from '../../report.ts';
import { scanText, tableSize } from '../../state.ts';
import { type DeadLetterCount, deadLetterCount } from '../dead-letters/counts.ts';
import { type Difference, differences, disagreement } from './check-again.ts';
import { FACT, IdIndex } from './id-index.ts';

export interface Comparison {
  readonly stream: SyncedStream;
  /** Rows in the API's list, repeats included. */
  readonly rows: number;
  /** Rows that cannot become events. */
  readonly unsendable: number;
  /** Rows in the list that the filter excludes. */
  readonly withheld: number;
  /** Ids that agree, undefined for a stream without row states. */
  readonly equal: number | undefined;
  /** Ids that the SIEM was last sent as rows, undefined for a stream without row states. */
  readonly live: number | undefined;
  readonly found: readonly Difference[];
  /** Generation of the checkpoint. Older states await a replay. */
  readonly generation: number;
  /** The API ended the list with a `null` cursor. */
  readonly ended: boolean;
  /** Ids that a killed run may have sent without recording it. */
  readonly unconfirmed: number;
  readonly deadLetters: ReadResult<DeadLetterCount>;
}

type SavedStreams = ReadonlyMap<StreamName, SavedStream>;

/** @throws RefusedError, AwsCallError; as the API's client does */
export async function compare(
  context: Context,
  access: Access,
  streams: readonly SyncedStream[],
): Promise<Comparison[]> {
  const savedStreams = await savedStreamsOf(access, streams);
  const withStates = streams.filter(({ hasRowStates }) => hasRowStates);
  const idIndexes = await statesOf(context, withStates, savedStreams);
  const comparisons: Comparison[] = [];
  for (const stream of streams) {
    const saved = savedStreams.get(stream.name)!;
    comparisons.push(await compareStream(context, { access, stream, saved, idIndex: idIndexes.get(stream.name) }));
  }
  return comparisons;
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

function unconfirmedOf({ intents, checkpoint }: SavedStream): number {
  return initialState({ intents, checkpoint }).unconfirmed.size;
}

/** Counts unconfirmed ids again: a run in progress has some until it commits. */
export async function unconfirmedAgain<T extends Comparison>(access: Access, comparisons: readonly T[]): Promise<T[]> {
  const savedStreams = await savedStreamsOf(
    access,
    comparisons.map(({ stream }) => stream),
  );
  return comparisons.map(each => {
    return each.equal === undefined
      ? each
      : { ...each, unconfirmed: unconfirmedOf(savedStreams.get(each.stream.name)!) };
  });
}

async function statesOf(
  context: Context,
  streams: readonly SyncedStream[],
  savedStreams: SavedStreams,
): Promise<ReadonlyMap<StreamName, IdIndex>> {
  if (streams.length === 0) return new Map();
  const { aws, report } = context;
  const { table } = await context.deployment();
  const size = await tableSize(aws, table);
  using progress = report.progress(`Reading ${scanText(size)}.`, size.items);
  const wanted = streams.map(({ name }) => ({ name, generation: savedStreams.get(name)!.checkpoint.generation }));
  return await readStates(aws, table, wanted, progress);
}

interface StreamInput {
  readonly access: Access;
  readonly stream: SyncedStream;
  readonly saved: SavedStream;
  readonly idIndex: IdIndex | undefined;
}

async function compareStream(context: Context, { access, stream, saved, idIndex }: StreamInput): Promise<Comparison> {
  const { aws, report, signal } = context;
  const { names, generation } = saved.checkpoint;
  const live = idIndex && countOf(idIndex, FACT.sent);
  const title = `Reading ${stream.name} from the API, 500 rows per request. Nothing is sent or saved.`;
  using progress = report.progress(title, live);
  const walked = await walkStream(context, { access, stream, idIndex, learned: names, progress });
  const { rows, unsendable, withheld, rowHashes, ended } = walked;
  const found = idIndex ? differences(idIndex, rowHashes) : [];
  const deployment = await context.deployment();
  return {
    stream,
    rows,
    unsendable,
    withheld,
    equal: idIndex && equalOf(idIndex),
    live,
    found,
    generation,
    ended,
    unconfirmed: idIndex ? unconfirmedOf(saved) : 0,
    deadLetters: await tryRead(() => deadLetterCount(aws, deployment, stream.name), signal),
  };
}

function countOf(idIndex: IdIndex, facts: number): number {
  let count = 0;
  for (let place = 0; place < idIndex.size; place++) if (idIndex.facts(place) & facts) count++;
  return count;
}

/** Includes ids that both sides have as removed. */
function equalOf(idIndex: IdIndex): number {
  let count = 0;
  for (let place = 0; place < idIndex.size; place++) {
    const facts = idIndex.facts(place);
    if (facts & (FACT.sent | FACT.removed) && !disagreement(facts)) count++;
  }
  return count;
}

export interface Walked {
  readonly pages: number;
  readonly rows: number;
  /** Rows that cannot become events. The connector keeps them as dead letters. */
  readonly unsendable: number;
  /** Rows that the filter excludes. */
  readonly withheld: number;
  /** Hashes of listed rows that differ from their state, by place. */
  readonly rowHashes: ReadonlyMap<number, string>;
  /** The API ended the list with a `null` cursor instead of repeating a cursor. */
  readonly ended: boolean;
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
  const rowHashes = new Map<number, string>();
  let pages = 0;
  let rows = 0;
  let unsendable = 0;
  let withheld = 0;
  let ended = true;
  const list = readPages({
    source: access.api,
    clock,
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
    pages++;
    rows += page.rows.length;
    let changed = false;
    for (const element of page.rows) {
      const row = readRow(element, stream, sha256);
      if (!('reason' in row) && row.filter === 'withhold') withheld++;
      if ('reason' in row) unsendable++;
      else if (idIndex) changed = recordRow(row, stream, idIndex, rowHashes) || changed;
    }
    progress.advance(page.rows.length, `${rows} rows of ${stream.name} read`);
    // A repeated cursor would never end. As in a run, the walk continues only if the page changed something.
    if (page.repeats && !changed) {
      ended = false;
      break;
    }
  }
  return { pages, rows, unsendable, withheld, rowHashes, ended };
}

/** The last occurrence of an id counts, as it does for the SIEM. @returns whether the row is new in this list */
function recordRow(row: Row, { name }: SyncedStream, idIndex: IdIndex, rowHashes: Map<number, string>): boolean {
  const place = idIndex.place(rowKey(name, row.id, sha256).pk.S.slice(rowPrefix(name).length));
  const before = idIndex.facts(place);
  const wasListed = (before & (FACT.live | FACT.tombstone | FACT.withheld)) !== 0;
  const changed = !wasListed || (rowHashes.get(place) ?? idIndex.rowHash(place)) !== row.rowHash;
  const state = before & (FACT.sent | FACT.removed | FACT.stale | FACT.filtered);
  const listed = row.filter === 'withhold' ? FACT.withheld : row.deleted ? FACT.tombstone : FACT.live;
  const equal = idIndex.rowHash(place) === row.rowHash;
  idIndex.setFacts(place, state | listed | (equal ? FACT.equal : 0));
  if (equal) rowHashes.delete(place);
  // Millions of rows may be unsent, so their hashes go into the index, where no state has one.
  else if (state === 0) idIndex.setRowHash(place, row.rowHash);
  else rowHashes.set(place, row.rowHash);
  return changed;
}

export interface StreamToCompare {
  readonly name: StreamName;
  /** Generation of its checkpoint. Older states no longer say what the SIEM has. */
  readonly generation: number;
}

/** Eventually consistent, at half the price: differences are read again with strong consistency. @throws AwsCallError */
export async function readStates(
  aws: Aws,
  table: string,
  streams: readonly StreamToCompare[],
  progress: Progress,
): Promise<Map<StreamName, IdIndex>> {
  const idIndexes = new Map(streams.map(({ name }) => [name, new IdIndex()]));
  let read = 0;
  const input = {
    TableName: table,
    FilterExpression: 'begins_with(pk, :row)',
    ExpressionAttributeValues: { ':row': { S: ROW_PARTITIONS } },
  };
  try {
    for await (const { Items = [], ScannedCount = 0 } of paginateScan({ client: aws.retryingDynamodb() }, input)) {
      for (const item of Items) recordState(item, streams, idIndexes);
      read += ScannedCount;
      progress.advance(ScannedCount, `${read} items of the table read`);
    }
  } catch (cause) {
    throw new AwsCallError(
      `The table ${table} could not be read`,
      'Nothing was changed. You need dynamodb:Scan on it.',
      cause,
    );
  }
  return idIndexes;
}

function recordState(
  item: Item,
  streams: readonly StreamToCompare[],
  idIndexes: ReadonlyMap<StreamName, IdIndex>,
): void {
  const pk = item['pk']?.S ?? '';
  const stream = streams.find(({ name }) => pk.startsWith(rowPrefix(name)));
  if (!stream) return;
  const idIndex = idIndexes.get(stream.name)!;
  const place = idIndex.place(pk.slice(rowPrefix(stream.name).length));
  const state = decodeState(item);
  idIndex.setFacts(place, factsOf(state, stream.generation));
  idIndex.setRowHash(place, state.rowHash);
}

function factsOf(state: RowState, generation: number): number {
  const filtered = state.rowHash === '' ? FACT.filtered : 0;
  return (
    (state.status === 'live' ? FACT.sent : FACT.removed) | filtered | (state.generation < generation ? FACT.stale : 0)
  );
}
