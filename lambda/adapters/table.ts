/** The few verbs of DynamoDB that the connector uses, within its limits and with its partial answers dealt with. */
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
import { StateError } from '../core/errors.ts';
import { backoff } from '../core/retry-policy.ts';
import type { Guard } from '../ports.ts';
import { persist, type Sender } from './aws-calls.ts';
import type { Key } from './keys.ts';
import type { Patience } from './patience.ts';
import type { Item } from './sealed-item.ts';

const GET_LIMIT = 100;
const WRITE_LIMIT = 25;

export interface Table {
  /** Strongly consistent. The keys must differ from one another. */
  get(keys: readonly Key[]): Promise<Item[]>;
  put(items: readonly Item[], guard: Guard): Promise<void>;
  delete(keys: readonly Key[], guard: Guard): Promise<void>;
  /** Strongly consistent, in the order of the sort key; all of them, or the first `limit`. */
  query(pk: string, limit?: number): Promise<Item[]>;
  /** @returns false when an item with a later epoch stands there. */
  putFenced(item: Item, epoch: number): Promise<boolean>;
  /** @returns the attributes asked for by `ReturnValues`, or nothing when the condition was not met. */
  update(input: Omit<UpdateItemCommandInput, 'TableName'>, guard?: Guard): Promise<Item | undefined>;
}

export function createTable(client: Sender, name: string, patience: Patience): Table {
  const call = async <T>(what: string, attempt: () => Promise<T>, before?: Guard): Promise<T> => {
    try {
      return await persist(attempt, patience, before);
    } catch (error) {
      throw isOurs(error) ? error : new StateError(what, { cause: error });
    }
  };
  const pause = (tries: number, what: string) => {
    const delay = backoff(tries, patience.random);
    if (delay >= patience.timeLeft()) throw new StateError(`${what} before the time budget ended`);
    return patience.clock.sleep(delay);
  };

  async function getBatch(keys: readonly Key[]): Promise<Item[]> {
    const items: Item[] = [];
    let left: Record<string, AttributeValue>[] = [...keys];
    for (let tries = 1; left.length > 0; tries++) {
      const input = { RequestItems: { [name]: { Keys: left, ConsistentRead: true } } };
      const answer = await call('read items', () => client.send(new BatchGetItemCommand(input)));
      items.push(...(answer.Responses?.[name] ?? []));
      left = answer.UnprocessedKeys?.[name]?.Keys ?? [];
      if (left.length > 0) await pause(tries, 'read every item');
    }
    return items;
  }

  async function writeBatch(requests: readonly WriteRequest[], guard: Guard): Promise<void> {
    let left = [...requests];
    for (let tries = 1; left.length > 0; tries++) {
      const input = { RequestItems: { [name]: left } };
      const answer = await call('write items', () => client.send(new BatchWriteItemCommand(input)), guard);
      left = answer.UnprocessedItems?.[name] ?? [];
      if (left.length > 0) await pause(tries, 'write every item');
    }
  }

  const writeAll = async (requests: readonly WriteRequest[], guard: Guard) => {
    await Promise.all(chunks(requests, WRITE_LIMIT).map(each => writeBatch(each, guard)));
  };

  return {
    async get(keys) {
      return (await Promise.all(chunks(keys, GET_LIMIT).map(getBatch))).flat();
    },
    put: (items, guard) =>
      writeAll(
        items.map(Item => ({ PutRequest: { Item } })),
        guard,
      ),
    delete: (keys, guard) =>
      writeAll(
        keys.map(Key => ({ DeleteRequest: { Key } })),
        guard,
      ),
    async query(pk, limit) {
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
        const answer = await call('query items', () => client.send(new QueryCommand(input)));
        items.push(...(answer.Items ?? []));
        from = answer.LastEvaluatedKey;
      } while (from && (limit === undefined || items.length < limit));
      return items;
    },
    putFenced: (item, epoch) =>
      unlessRefused(async () => {
        const input = {
          TableName: name,
          Item: { ...item, epoch: { N: String(epoch) } },
          ConditionExpression: 'attribute_not_exists(epoch) OR epoch <= :epoch',
          ExpressionAttributeValues: { ':epoch': { N: String(epoch) } },
        };
        await call('save the checkpoint', () => client.send(new PutItemCommand(input)));
        return true;
      }).then(saved => saved ?? false),
    update: (input, guard) =>
      unlessRefused(async () => {
        const command = new UpdateItemCommand({ TableName: name, ...input });
        const answer = await call('update an item', () => client.send(command), guard);
        return answer.Attributes ?? {};
      }),
  };
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

/** Errors of the guard come through as they are. */
function isOurs(error: unknown): boolean {
  return error instanceof Error && (error.name === 'LeaseLostError' || error.name === 'AbortError');
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += size) parts.push(all.slice(at, at + size));
  return parts;
}
