/** Reads the state table of a connector. Cursors are never printed. */
import { DescribeTableCommand, paginateScan, type TableDescription } from '@aws-sdk/client-dynamodb';
import { StateVersionError } from '../../lambda/core/errors.ts';
import type { SavedStream, WaitingWithdrawals } from '../../lambda/ports.ts';
import { createCheckpointStore } from '../../lambda/store/checkpoints.ts';
import { type Item, leaseKey, ROW_PARTITION_PREFIX, removalsPartition, rowPrefix } from '../../lambda/store/item.ts';
import { createTable, type Table } from '../../lambda/store/table.ts';
import { childStreamOf, STREAMS, type StreamName } from '../../lambda/streams.ts';
import { systemClock } from '../../lambda/system.ts';
import type { Aws } from './aws.ts';
import type { Context } from './context.ts';
import { AwsCallError, isMissingResource } from './errors.ts';
import { startRetryBudget } from './retry-budget.ts';
import { awsCommand } from './text.ts';

export type LeaseState = NonNullable<Awaited<ReturnType<typeof readLease>>>;

/** @throws AwsCallError */
export async function readState(aws: Aws, tableName: string, now: number) {
  const table = createTable(aws.dynamodb(), tableName, startRetryBudget(systemClock));
  const read = async () => ({
    ...(await createCheckpointStore(table).load(STREAMS.map(stream => stream.name))),
    lease: await readLease(table, now),
    /** Number of pending withdrawals by stream. */
    withdrawals: await countWithdrawals(table),
  });
  return tableCall(aws, tableName, read());
}

/** @returns undefined if no run has ever taken the lease */
async function readLease(table: Table, now: number) {
  const [item] = await table.get([leaseKey]);
  if (!item) return undefined;
  /** Time at which the lease expires, in milliseconds since 1970. It may lie in the past. */
  const expires = Number(item['expires']?.N);
  /** Way in which the last run ended. */
  const ended = (item['ended']?.S ?? '') as 'no' | 'clean' | 'dirty' | '';
  /** Id of the run that last took the lease. */
  const holder = item['holder']?.S ?? '';
  return { epoch: Number(item['epoch']?.N), holder, held: ended === 'no' && expires >= now, expires, ended };
}

async function countWithdrawals(table: Table): Promise<Map<StreamName, number>> {
  const counts = new Map<StreamName, number>();
  for (const { name } of STREAMS) {
    if (childStreamOf(name)) counts.set(name, (await table.query(removalsPartition(name))).length);
  }
  return counts;
}

/** Reasons why the guard has stopped withdrawals. */
export const WAITING_CAUSES: Readonly<Record<WaitingWithdrawals['reason'], string>> = {
  filtered: 'the filter excludes them',
  'not-listed': 'the API does not list them any more',
};

/** Whether a killed run has left a batch unfinished. The next run finishes it. */
export function isBatchOpen({ checkpoint, log }: SavedStream): boolean {
  return log !== undefined && log.sequence > checkpoint.committed;
}

/**
 * Awaits a read of the state table.
 *
 * @throws StateVersionError, which has its own advice; AwsCallError
 */
export async function tableCall<T>(aws: Aws, table: string, call: Promise<T>): Promise<T> {
  return call.catch(async error => {
    if (error instanceof StateVersionError) throw error;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const what = `The state table ${table} could not be read`;
    throw new AwsCallError(what, cause, undefined, await tableGone(aws));
  });
}

/**
 * Advice about a missing table. The table must be restored, because only a backup knows which
 * events were sent.
 */
async function tableGone(aws: Aws): Promise<string> {
  const list = awsCommand(await aws.dynamodb().config.region(), 'dynamodb list-backups --backup-type SYSTEM');
  return (
    'No run can succeed without it. Do not deploy, because with an empty table the SIEM would keep rows that are removed meanwhile. ' +
    `Restore the table under its name from the backup that AWS keeps for 35 days: ${list}`
  );
}

/** @throws AwsCallError */
export async function describeTable(aws: Aws, name: string): Promise<TableDescription> {
  const call = aws.retryingDynamodb().send(new DescribeTableCommand({ TableName: name }));
  const { Table: table = {} } = await tableCall(aws, name, call);
  return table;
}

/**
 * Advice for a table that does not exist. Empty if the table exists, or after any other failure.
 */
export async function lostTableAdvice({ aws, deployment }: Context): Promise<string> {
  const { table } = await deployment();
  const isLost = await describeTable(aws, table).then(() => false, isMissingResource);
  return isLost ? `The state table ${table} does not exist. ${await tableGone(aws)}` : '';
}

/**
 * Scans the row states of the whole table. The scan is eventually consistent, which costs half as
 * much.
 *
 * @throws AwsCallError
 */
export async function scanRowStates(
  { aws, report, deployment }: Context,
  onState: (stream: StreamName, item: Item) => void,
): Promise<void> {
  const { table } = await deployment();
  // DynamoDB updates these figures every six hours.
  const { ItemCount: items = 0, TableSizeBytes: bytes = 0 } = await describeTable(aws, table);
  using progress = report.progress(`Reading ${scanText(items, bytes)}.`);
  const input = {
    TableName: table,
    FilterExpression: 'begins_with(pk, :row)',
    ExpressionAttributeValues: { ':row': { S: ROW_PARTITION_PREFIX } },
  };

  let read = 0;
  const scan = async () => {
    for await (const { Items = [], ScannedCount = 0 } of paginateScan({ client: aws.retryingDynamodb() }, input)) {
      for (const item of Items) {
        const stream = STREAMS.find(({ name }) => item['pk']?.S?.startsWith(rowPrefix(name)));
        if (stream) onState(stream.name, item);
      }
      read += ScannedCount;
      progress.advance(`${read} of about ${items} items of the table read`);
    }
  };
  await tableCall(aws, table, scan());
}

/** Bytes that one unit of an eventually consistent read covers. */
const BYTES_PER_UNIT = 8192;
/** List price of us-east-1 in US dollars, November 2026. */
const DOLLARS_PER_UNIT = 0.125 / 1e6;

/**
 * Text about the scan with its list price, for example "the whole table, about 9 items, for less
 * than a cent".
 */
function scanText(items: number, bytes: number): string {
  const dollars = Math.ceil(bytes / BYTES_PER_UNIT) * DOLLARS_PER_UNIT;
  const price = dollars < 0.01 ? 'less than a cent' : `$${dollars.toFixed(2)}`;
  return `the whole table${items > 0 ? `, about ${items} items` : ''}, for ${price}`;
}
