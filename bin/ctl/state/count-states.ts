/** How many rows of a stream the SIEM has, by the states in the table. */
import { DescribeTableCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import type { StreamName } from '../../../lambda/streams.ts';
import { PRICES } from '../../../lib/cost/prices.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';
import type { Progress } from '../report/progress.ts';

export interface TableSize {
  /** As DynamoDB told it within the last six hours. */
  readonly items: number;
  readonly bytes: number;
}

/** @param otherwise what to do without the right to it @throws AwsCallError */
export async function tableSize(aws: Aws, table: string, otherwise = ''): Promise<TableSize> {
  try {
    const { Table: told } = await aws.patientDynamodb().send(new DescribeTableCommand({ TableName: table }));
    return { items: told?.ItemCount ?? 0, bytes: told?.TableSizeBytes ?? 0 };
  } catch (cause) {
    throw new AwsCallError(
      `The table ${table} could not be described`,
      `Nothing was changed. ${otherwise}You need dynamodb:DescribeTable on it.`,
      cause,
    );
  }
}

const ADVICE = 'Nothing was done. --no-count leaves out the count, which needs ';
/** An eventually consistent read of this much is half a unit of 4 KiB. */
const BYTES_A_UNIT = 8192;

/** Dollars that reading the whole table costs, at list price. */
export function countPrice({ bytes }: TableSize, times: number): number {
  return Math.ceil(bytes / BYTES_A_UNIT) * times * PRICES.tableReadUnit.dollars;
}

/**
 * Reads the whole table and counts: no index knows. A state whose row is gone from the SIEM does not count.
 *
 * @throws AwsCallError
 */
export async function countStates(aws: Aws, table: string, stream: StreamName, progress: Progress): Promise<number> {
  let count = 0;
  let read = 0;
  const input = {
    TableName: table,
    Select: 'COUNT' as const,
    FilterExpression: 'begins_with(pk, :row) AND removed = :no',
    ExpressionAttributeValues: { ':row': { S: `row#${stream}#` }, ':no': { BOOL: false } },
  };
  try {
    for await (const page of paginateScan({ client: aws.patientDynamodb() }, input)) {
      const { Count = 0, ScannedCount = 0 } = page;
      count += Count;
      read += ScannedCount;
      progress.advance(ScannedCount, `${read} items read, ${count} of ${stream}`);
    }
  } catch (cause) {
    throw new AwsCallError(`The table ${table} could not be read`, `${ADVICE}dynamodb:Scan on it.`, cause);
  }
  return count;
}
