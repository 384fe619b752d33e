/** DynamoDB Local keeps the contract of the table in memory, but for known differences. */
import { afterAll, beforeAll, test } from '@jest/globals';
import { expectAnswer } from '../../aws/table-answer.ts';
import { batchUnits, CONTRACT, TableName, units } from '../../aws/table-contract.ts';
import { part } from '../running.ts';
import { type RealTable, realDynamoDb, realTable } from './support/real-table.ts';

const { url } = part('dynamodb');
const real = realDynamoDb(url);
let table: RealTable;
beforeAll(async () => {
  table = await realTable(url, TableName);
});
afterAll(() => table.close());

/** Reads that find nothing are free in DynamoDB Local. AWS documents that they take units. */
const DIFFERENT: Readonly<Record<string, object>> = {
  'a batch reads 100 items at most': batchUnits(1),
  'a query without items takes a unit': units(0),
};

test.each(CONTRACT)('DynamoDB Local keeps the contract of the table: %s', async (title, [action, input], expected) => {
  const difference = DIFFERENT[title];
  expectAnswer(await real(action, input), difference ? { ...(expected as object), ...difference } : expected);
});
