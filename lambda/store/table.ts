/** The few verbs of DynamoDB that the connector uses, with its partial answers dealt with. */
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { isLeaseError, retry, type Sender } from '../aws.ts';
import { StateError } from '../core/errors.ts';
import { inParallel } from '../core/in-parallel.ts';
import { backoff, type RetryBudget } from '../core/retry.ts';
import type { AssertLeaseValid } from '../ports.ts';
import type { Item, Key } from './item.ts';

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

/** Batches of DynamoDB, within its limits, until none of their parts is left undone. */

const GET_LIMIT = 100;
const WRITE_LIMIT = 25;

export interface TableBatches {
  get(keys: readonly Key[]): Promise<Item[]>;
  write(requests: readonly WriteRequest[], assertLeaseValid: AssertLeaseValid): Promise<void>;
}

export function createTableBatches(client: Sender, name: string, { call, pause }: TableCalls): TableBatches {
  async function getBatch(keys: readonly Key[], stop: AbortSignal): Promise<Item[]> {
    const items: Item[] = [];
    let left: Record<string, AttributeValue>[] = [...keys];
    for (let tries = 1; left.length > 0; tries++) {
      const input = { RequestItems: { [name]: { Keys: left, ConsistentRead: true } } };
      const answer = await call('read items', () => client.send(new BatchGetItemCommand(input)), undefined, stop);
      items.push(...(answer.Responses?.[name] ?? []));
      left = answer.UnprocessedKeys?.[name]?.Keys ?? [];
      if (left.length > 0) await pause(tries, 'read every item', stop);
    }
    return items;
  }

  async function writeBatch(
    requests: readonly WriteRequest[],
    assertLeaseValid: AssertLeaseValid,
    stop: AbortSignal,
  ): Promise<void> {
    const mayWrite = async () => {
      stop.throwIfAborted();
      await assertLeaseValid();
    };
    let left = [...requests];
    for (let tries = 1; left.length > 0; tries++) {
      const input = { RequestItems: { [name]: left } };
      const answer = await call('write items', () => client.send(new BatchWriteItemCommand(input)), mayWrite, stop);
      left = answer.UnprocessedItems?.[name] ?? [];
      if (left.length > 0) await pause(tries, 'write every item', stop);
    }
  }

  return {
    get: async keys => (await inParallel(chunks(keys, GET_LIMIT), getBatch)).flat(),
    async write(requests, assertLeaseValid) {
      await inParallel(chunks(requests, WRITE_LIMIT), (each, stop) => writeBatch(each, assertLeaseValid, stop));
    },
  };
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}

/** A call to DynamoDB, repeated while that is worth it, and what its failure is called. */

export interface TableCalls {
  /** @param what it does, for the message @throws StateError; as the guard does */
  call<T>(what: string, attempt: () => Promise<T>, before?: AssertLeaseValid, stop?: AbortSignal): Promise<T>;
  /** Before a part that was left undone is asked for again. @throws StateError when the time does not allow it */
  pause(tries: number, what: string, stop: AbortSignal): Promise<void>;
}

export function createTableCalls(retryBudget: RetryBudget): TableCalls {
  return {
    async call(what, attempt, before, stop) {
      try {
        return await retry(attempt, retryBudget, before, stop);
      } catch (error) {
        throw isLeaseError(error) ? error : new StateError(what, { cause: error });
      }
    },
    async pause(tries, what, stop) {
      const delay = backoff(tries, retryBudget.random);
      if (delay >= retryBudget.timeLeft()) throw new StateError(`${what} before the time budget ended`);
      await retryBudget.clock.sleep(delay, stop);
    },
  };
}
