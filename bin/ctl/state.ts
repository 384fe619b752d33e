/** Reads the state table of a connector. It never prints a cursor. */
import { DescribeTableCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { initialState } from '../../lambda/core/decide.ts';
import { StateVersionError } from '../../lambda/core/errors.ts';
import type { SavedStream } from '../../lambda/ports.ts';
import { createCheckpoints } from '../../lambda/store/checkpoints.ts';
import { leaseKey, ROW_PARTITIONS, removalsPartition, rowPrefix } from '../../lambda/store/item.ts';
import { createTable, type Table } from '../../lambda/store/table.ts';
import { childOf, STREAMS, type StreamName } from '../../lambda/streams.ts';
import { systemClock } from '../../lambda/system.ts';
import { PRICES } from '../../lib/prices.ts';
import type { Aws } from './aws.ts';
import { AwsCallError, TABLE_GONE } from './errors.ts';
import type { Progress } from './report.ts';
import { durationText, timeText } from './text.ts';

export interface LeaseState {
  readonly epoch: number;
  /** Id of the run that took it last. */
  readonly holder: string;
  readonly held: boolean;
  /** Milliseconds since the epoch; may lie in the past. */
  readonly expires: number;
  /** How the last run ended. Empty: never taken. */
  readonly ended: 'no' | 'clean' | 'dirty' | '';
}

export interface ConnectorState {
  /** Undefined if no run has ever taken it. */
  readonly lease: LeaseState | undefined;
  /** Saved state by stream, or the error that a run would fail with. */
  readonly streams: ReadonlyMap<StreamName, SavedStream | Error>;
  /** Digest of the organization that the state belongs to. Undefined before the first run. */
  readonly organization: string | undefined;
  /** Number of pending withdrawals by stream. */
  readonly withdrawals: ReadonlyMap<StreamName, number>;
}

const BUDGET_MILLISECONDS = 20_000;

/** @throws AwsCallError */
export async function readState(aws: Aws, tableName: string, now: number): Promise<ConnectorState> {
  const end = now + BUDGET_MILLISECONDS;
  const retryBudget = { clock: systemClock, random: Math.random, timeLeft: () => end - systemClock.now() };
  const table = createTable(aws.dynamodb(), tableName, retryBudget);
  const names = STREAMS.map(stream => stream.name);
  try {
    const { streams, organization } = await createCheckpoints(table).load(names);
    return { streams, organization, lease: await readLease(table, now), withdrawals: await countWithdrawals(table) };
  } catch (error) {
    throw tableError(error, tableName, 'dynamodb:BatchGetItem and dynamodb:Query');
  }
}

/** An item that another version wrote has its own advice. @param needed permissions */
export function tableError(error: unknown, tableName: string, needed: string): unknown {
  if (error instanceof StateVersionError) return error;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const advice = `Nothing was changed. You need ${needed} on it.`;
  return new AwsCallError(`The state table ${tableName} could not be read`, advice, cause, TABLE_GONE);
}

async function readLease(table: Table, now: number): Promise<LeaseState | undefined> {
  const [item] = await table.get([leaseKey]);
  if (!item) return undefined;
  const expires = Number(item['expires']?.N);
  const ended = (item['ended']?.S ?? '') as LeaseState['ended'];
  const holder = item['holder']?.S ?? '';
  return { epoch: Number(item['epoch']?.N), holder, held: ended === 'no' && expires >= now, expires, ended };
}

async function countWithdrawals(table: Table): Promise<Map<StreamName, number>> {
  const counts = new Map<StreamName, number>();
  for (const { name } of STREAMS) {
    if (childOf(name)) counts.set(name, (await table.query(removalsPartition(name))).length);
  }
  return counts;
}

/** Column titles of the table of saved state. */
export const STATE_TITLES = ['stream', 'cursor', 'committed sequence', 'window', 'generation', 'unconfirmed'];

/** @param off streams that the settings disable */
export function stateRows(
  streams: ReadonlyMap<StreamName, SavedStream | Error>,
  off: readonly StreamName[],
): string[][] {
  return [...streams].map(([name, saved]) => [name, ...cells(saved, off.includes(name))]);
}

function cells(saved: SavedStream | Error, isOff: boolean): string[] {
  if (saved instanceof Error) return ['unreadable', '', '', '', ''];
  const { cursor, committed, window, generation } = saved.checkpoint;
  if (isOff && cursor === undefined && committed === '') return ['off', '', '', '', ''];
  const cursorText = cursor === undefined ? 'none yet' : 'saved';
  return [cursorText, committed || 'none', String(window.length), String(generation), String(unconfirmed(saved))];
}

/** Number of ids with an intent that no commit confirms: their events may have reached the SIEM. */
export function unconfirmed(saved: SavedStream): number {
  return initialState(saved).unconfirmed.size;
}

export function leaseText(lease: LeaseState | undefined, now: number): string {
  if (!lease) return 'never taken: no run has used this table yet';
  const { epoch, holder, held, expires, ended } = lease;
  if (held) return `held by ${holder}, epoch ${epoch}, for ${durationText(expires - now)} more unless renewed`;
  if (ended === 'no') return `free, epoch ${epoch}; its run was killed and the lease expired ${timeText(expires)}`;
  return `free, epoch ${epoch}; the last run ended ${ended === 'clean' ? 'cleanly' : 'with unconfirmed events'}`;
}

const ADVICE = 'Nothing was done. --no-count skips the count, which needs ';

/** Counts the rows that the SIEM has, by a scan of the whole table. Removed rows do not count. @throws AwsCallError */
export async function countStates(
  aws: Aws,
  table: string,
  streams: readonly StreamName[],
  progress: Progress,
): Promise<Map<StreamName, number>> {
  const counts = new Map(streams.map(stream => [stream, 0]));
  let read = 0;
  const input = {
    TableName: table,
    ProjectionExpression: 'pk',
    FilterExpression: 'begins_with(pk, :row) AND #status = :live',
    ExpressionAttributeValues: { ':row': { S: ROW_PARTITIONS }, ':live': { S: 'live' } },
    ExpressionAttributeNames: { '#status': 'status' },
  };
  try {
    for await (const { Items = [], ScannedCount = 0 } of paginateScan({ client: aws.retryingDynamodb() }, input)) {
      for (const { pk } of Items) {
        const stream = streams.find(name => pk?.S?.startsWith(rowPrefix(name)));
        if (stream) counts.set(stream, counts.get(stream)! + 1);
      }
      read += ScannedCount;
      const counted = [...counts].map(([stream, count]) => `${count} of ${stream}`);
      progress.advance(ScannedCount, `${read} items read, ${counted.join(', ')}`);
    }
  } catch (cause) {
    throw new AwsCallError(`The table ${table} could not be read`, `${ADVICE}dynamodb:Scan on it.`, cause, TABLE_GONE);
  }
  return counts;
}

export interface TableSize {
  /** DynamoDB updates it every six hours. */
  readonly items: number;
  readonly bytes: number;
}

/** @param otherwise how to do without it @throws AwsCallError */
export async function tableSize(aws: Aws, table: string, otherwise = ''): Promise<TableSize> {
  try {
    const { Table: description } = await aws.retryingDynamodb().send(new DescribeTableCommand({ TableName: table }));
    return { items: description?.ItemCount ?? 0, bytes: description?.TableSizeBytes ?? 0 };
  } catch (cause) {
    throw new AwsCallError(
      `The table ${table} could not be described`,
      `Nothing was changed. ${otherwise}You need dynamodb:DescribeTable on it.`,
      cause,
      TABLE_GONE,
    );
  }
}

/** An eventually consistent read unit. */
const BYTES_A_UNIT = 8192;

/** For example "the whole table, about 9 items, for less than a cent" (list price). */
export function scanText({ items, bytes }: TableSize): string {
  const dollars = Math.ceil(bytes / BYTES_A_UNIT) * PRICES.tableReadUnit;
  const price = dollars < 0.01 ? 'less than a cent' : `$${dollars.toFixed(2)}`;
  return `the whole table${items > 0 ? `, about ${items} items` : ''}, for ${price}`;
}
