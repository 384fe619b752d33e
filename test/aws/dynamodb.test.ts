import { BatchGetItemCommand, DescribeTableCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { THROTTLING_FAULTS } from '../../local/aws/faults.ts';
import { started } from './started.ts';
import { clientOf, item, key, TableName } from './state-table.ts';

describe('the state table', () => {
  test('meters reads and writes', async () => {
    await using running = await started();
    const client = clientOf(running);
    await client.send(new PutItemCommand({ TableName, Item: item('p', 'a', 'x'.repeat(1500)) }));
    await client.send(new GetItemCommand({ TableName, Key: key('p', 'a'), ConsistentRead: true }));
    await client.send(new GetItemCommand({ TableName, Key: key('p', 'b') }));
    expect(running.calls.map(({ permission, readUnits, writeUnits }) => [permission, readUnits, writeUnits])).toEqual([
      ['dynamodb:PutItem', undefined, 2],
      ['dynamodb:GetItem', 1, undefined],
      ['dynamodb:GetItem', 0.5, undefined],
    ]);
  });
});

test('DescribeTable describes the table and refuses another one', async () => {
  await using running = await started();
  const client = clientOf(running);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({
    TableName,
    TableStatus: 'ACTIVE',
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
  });
  expect(running.calls).toEqual([
    { ...running.calls[0], permission: 'dynamodb:DescribeTable', readUnits: undefined, writeUnits: undefined },
  ]);
  await expect(client.send(new DescribeTableCommand({ TableName: 'other' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

describe('an injected fault', () => {
  test('refuses a throttled write without effect, and loses the answer of a write after its effect', async () => {
    await using running = await started();
    const client = clientOf(running);
    const put = (sk: string) => client.send(new PutItemCommand({ TableName, Item: item('p', sk) }));
    running.aws.faults.next('dynamodb', THROTTLING_FAULTS.dynamodb, { loseAnswer: true });
    await expect(put('throttled')).rejects.toMatchObject({ name: 'ThrottlingException' });
    await expect(put('lost')).rejects.toThrow(/ECONNRESET|socket hang up/);
    const Keys = ['throttled', 'lost'].map(sk => key('p', sk));
    const read = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }));
    expect(read.Responses?.[TableName]).toEqual([item('p', 'lost')]);
  });
});
