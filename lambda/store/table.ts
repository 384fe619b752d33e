/** The few verbs of DynamoDB that the connector uses, with its partial answers dealt with. */
import { PutItemCommand, QueryCommand, UpdateItemCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { Sender } from '../aws-calls.ts';
import { StateError } from '../core/errors.ts';
import type { AssertLeaseValid } from '../ports.ts';
import type { RetryBudget } from '../retry-budget.ts';
import type { Item } from './item.ts';
import type { Key } from './keys.ts';
import { createTableBatches } from './table-batches.ts';
import { createTableCalls, type TableCalls } from './table-calls.ts';

export interface Table {
  /** Strongly consistent. The keys must differ from one another. */
  get(keys: readonly Key[]): Promise<Item[]>;
  put(items: readonly Item[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  delete(keys: readonly Key[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  /** Strongly consistent, in the order of the sort key; all of them, or the first `limit`. */
  query(pk: string, limit?: number): Promise<Item[]>;
  /** @returns false when an item with a later epoch stands there. */
  putFenced(item: Item, epoch: number): Promise<boolean>;
  /** @returns the attributes asked for by `ReturnValues`, or nothing when the condition was not met. */
  update(
    input: Omit<UpdateItemCommandInput, 'TableName'>,
    assertLeaseValid?: AssertLeaseValid,
  ): Promise<Item | undefined>;
}

export function createTable(client: Sender, name: string, retryBudget: RetryBudget): Table {
  const calls = createTableCalls(retryBudget);
  const batches = createTableBatches(client, name, calls);
  const put = (Item: Item) => ({ PutRequest: { Item } });
  const remove = (Key: Key) => ({ DeleteRequest: { Key } });
  return {
    get: batches.get,
    put: (items, assertLeaseValid) => batches.write(items.map(put), assertLeaseValid),
    delete: (keys, assertLeaseValid) => batches.write(keys.map(remove), assertLeaseValid),
    query: (pk, limit) => queryAll({ client, name, calls }, pk, limit),
    async putFenced(item, epoch) {
      const command = new PutItemCommand({
        TableName: name,
        Item: { ...item, epoch: { N: String(epoch) } },
        ConditionExpression: 'attribute_not_exists(epoch) OR epoch <= :epoch',
        ExpressionAttributeValues: { ':epoch': { N: String(epoch) } },
      });
      const saved = await unlessRefused(() => calls.call('save the checkpoint', () => client.send(command)));
      return saved !== undefined;
    },
    async update(input, assertLeaseValid) {
      const command = new UpdateItemCommand({ TableName: name, ...input });
      const answer = await unlessRefused(() =>
        calls.call('update an item', () => client.send(command), assertLeaseValid),
      );
      return answer && (answer.Attributes ?? {});
    },
  };
}

interface Place {
  readonly client: Sender;
  readonly name: string;
  readonly calls: TableCalls;
}

async function queryAll({ client, name, calls }: Place, pk: string, limit: number | undefined): Promise<Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const input = {
      TableName: name,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
      ...(limit === undefined ? {} : { Limit: limit - items.length }),
      ...(from ? { ExclusiveStartKey: from } : {}),
    };
    const answer = await calls.call('query items', () => client.send(new QueryCommand(input)));
    items.push(...(answer.Items ?? []));
    from = answer.LastEvaluatedKey;
  } while (from && (limit === undefined || items.length < limit));
  return items;
}

/** Turns a refused condition, which is an answer and no failure, into nothing. */
async function unlessRefused<T>(attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof StateError && isConditionRefused(error.cause)) return undefined;
    throw error;
  }
}

function isConditionRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException';
}
