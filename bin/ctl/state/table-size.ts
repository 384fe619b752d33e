import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { PRICES } from '../../../lib/cost/prices.ts';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

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

/** An eventually consistent read of this much is half a unit of 4 KiB. */
const BYTES_A_UNIT = 8192;

/** What one scan reads, and for how much, at list price: "the whole table, about 9 items, for less than a cent". */
export function scanText({ items, bytes }: TableSize): string {
  const dollars = Math.ceil(bytes / BYTES_A_UNIT) * PRICES.tableReadUnit.dollars;
  const price = dollars < 0.01 ? 'less than a cent' : `$${dollars.toFixed(2)}`;
  return `the whole table${items > 0 ? `, about ${items} items` : ''}, for ${price}`;
}
