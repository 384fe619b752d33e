import { BatchWriteItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { started } from './started.ts';
import { clientOf, item, key, TableName } from './state-table.ts';

describe('where dynalite differs, the endpoint answers as DynamoDB does', () => {
  test('a query for an empty key is refused', async () => {
    await using running = await started();
    const KeyConditionExpression = '#p = :pk AND sk = :sk';
    const query = { TableName, KeyConditionExpression, ExpressionAttributeNames: { '#p': 'pk' } };
    const send = (pk: string) =>
      clientOf(running).send(
        new QueryCommand({ ...query, ExpressionAttributeValues: { ':pk': { S: pk }, ':sk': { S: 'a' } } }),
      );
    await expect(send('')).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(/pk$/),
    });
    expect((await send('p')).Items).toEqual([]);
  });

  test('a batch request that puts and deletes at once is refused', async () => {
    await using running = await started();
    const both = { PutRequest: { Item: item('p', 'a') }, DeleteRequest: { Key: key('p', 'b') } };
    const command = new BatchWriteItemCommand({ RequestItems: { [TableName]: [both] } });
    await expect(clientOf(running).send(command)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('a failed condition returns the stored item to a caller that requests it', async () => {
    await using running = await started();
    const client = clientOf(running);
    await client.send(new PutItemCommand({ TableName, Item: item('p', 'a', 'there') }));
    const again = { TableName, Item: item('p', 'a'), ConditionExpression: 'attribute_not_exists(pk)' };
    const ask = { ...again, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
    await expect(client.send(new PutItemCommand(ask))).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
      Item: item('p', 'a', 'there'),
    });
    await expect(client.send(new PutItemCommand(again))).rejects.toMatchObject({ Item: undefined });
  });
});
