/** The DynamoDB operations that the connector uses: splits batches at its limits, repeats unprocessed items, wraps its failures. */
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  type ScanCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { awsFailure, callAws, isLeaseError, type Sender } from '../aws.ts';
import { IncompleteAnswerError, StateError } from '../core/errors.ts';
import { chunks, inParallel } from '../core/in-parallel.ts';
import { type RetryBudget, type RetryPolicy, TryAgain } from '../core/retry.ts';
import type { AssertLeaseValid, Fence } from '../ports.ts';
import type { Item, Key, TextItem } from './item.ts';

export interface Table {
  /** Strongly consistent. The keys must differ from one another. */
  get(keys: readonly Key[]): Promise<Item[]>;
  put(items: readonly TextItem[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  delete(keys: readonly Key[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  /** Strongly consistent, in the order of the sort key; all of them, or the first `limit` that come after a key. */
  query(pk: string, limit?: number, after?: Key): Promise<Item[]>;
  /** One page of all items, strongly consistent, in no order that means anything. */
  scan(input: ScanInput): Promise<ScannedPage>;
  /** @returns false when a later write has landed. */
  putFenced(item: Item, fence: Fence): Promise<boolean>;
  /** @returns the attributes asked for by `ReturnValues`, or nothing when the condition was not met. */
  update(
    input: Omit<UpdateItemCommandInput, 'TableName'>,
    assertLeaseValid?: AssertLeaseValid,
  ): Promise<Item | undefined>;
}

type ScanInput = Pick<
  ScanCommandInput,
  'Limit' | 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues' | 'ExclusiveStartKey'
>;

export interface ScannedPage {
  readonly items: readonly Item[];
  /** Absent: the page was the last one. */
  readonly next: Item | undefined;
}

const GET_LIMIT = 100;
const WRITE_LIMIT = 25;

type Keys = Record<string, AttributeValue>[];

/**
 * Every method rejects with StateError, or with the error of the lease check.
 *
 * @param onUnclearWrite called after each answer that does not say whether a write took place
 */
export function createTable(
  client: Sender,
  name: string,
  retryBudget: RetryBudget,
  onUnclearWrite: () => void = () => undefined,
): Table {
  async function call<T>(what: string, attempt: () => Promise<T>, policy?: Pick<RetryPolicy, 'before' | 'stop'>) {
    try {
      return await callAws(attempt, retryBudget, policy);
    } catch (error) {
      throw isLeaseError(error) ? error : new StateError(what, { cause: error });
    }
  }

  async function getBatch(keys: readonly Key[], stop: AbortSignal): Promise<Item[]> {
    const items: Item[] = [];
    let left: Keys = [...keys];
    const get = async () => {
      const input = { RequestItems: { [name]: { Keys: left, ConsistentRead: true } } };
      const answer = await client.send(new BatchGetItemCommand(input));
      const found: Item[] | undefined = answer.Responses?.[name];
      const unprocessed: Keys = answer.UnprocessedKeys?.[name]?.Keys ?? [];
      // Only a list of what was found says of the other keys that they have no item.
      if (!found && unprocessed.length < left.length)
        throw new IncompleteAnswerError('DynamoDB', 'BatchGetItem', 'without the items of the table');
      items.push(...(found ?? []));
      left = unprocessed;
      if (left.length > 0) throw unfinished('read every item');
    };
    await call('read items', get, { stop });
    return items;
  }

  /** Counts the answers after which a write may still land: the request may be on its way although its connection was given up. */
  const unclear =
    <T>(attempt: () => Promise<T>) =>
    async (): Promise<T> => {
      try {
        return await attempt();
      } catch (error) {
        if (awsFailure(error) === 'transient') onUnclearWrite();
        throw error;
      }
    };

  async function writeBatch(all: readonly WriteRequest[], assertLeaseValid: AssertLeaseValid, stop: AbortSignal) {
    let left = [...all];
    const write = async () => {
      const command = new BatchWriteItemCommand({ RequestItems: { [name]: left } });
      const answer = await unclear(() => client.send(command))();
      const { [name]: unprocessed = [], ...others } = answer.UnprocessedItems ?? {};
      if (Object.keys(others).length > 0)
        throw new IncompleteAnswerError('DynamoDB', 'BatchWriteItem', 'with items of another table');
      left = unprocessed;
      if (left.length > 0) throw unfinished('write every item');
    };
    const before = async () => {
      stop.throwIfAborted();
      await assertLeaseValid();
    };
    await call('write items', write, { before, stop });
  }

  async function writeAll(requests: readonly WriteRequest[], assertLeaseValid: AssertLeaseValid): Promise<void> {
    await inParallel(chunks(requests, WRITE_LIMIT), (each, stop) => writeBatch(each, assertLeaseValid, stop));
  }

  async function query(pk: string, limit?: number, after?: Key): Promise<Item[]> {
    const items: Item[] = [];
    let from: Item | undefined = after;
    do {
      const input = {
        TableName: name,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: pk } },
        ...(limit === undefined ? {} : { Limit: limit - items.length }),
        ...(from ? { ExclusiveStartKey: from } : {}),
      };
      const ask = async () => {
        const { Items, LastEvaluatedKey } = await client.send(new QueryCommand(input));
        if (!Items) throw new IncompleteAnswerError('DynamoDB', 'Query', 'without Items');
        return { found: Items as Item[], next: LastEvaluatedKey as Item | undefined };
      };
      const { found, next } = await call('query items', ask);
      items.push(...found);
      from = next;
    } while (from && (limit === undefined || items.length < limit));
    return items;
  }

  async function scan(input: ScanInput): Promise<ScannedPage> {
    return await call('scan items', async () => {
      const command = new ScanCommand({ TableName: name, ConsistentRead: true, ...input });
      const { Items, LastEvaluatedKey } = await client.send(command);
      if (!Items) throw new IncompleteAnswerError('DynamoDB', 'Scan', 'without Items');
      return { items: Items as Item[], next: LastEvaluatedKey as Item | undefined };
    });
  }

  return {
    get: async keys => (await inParallel(chunks(keys, GET_LIMIT), getBatch)).flat(),
    put: (items, assertLeaseValid) =>
      writeAll(
        items.map(Item => ({ PutRequest: { Item } })),
        assertLeaseValid,
      ),
    delete: (keys, assertLeaseValid) =>
      writeAll(
        keys.map(Key => ({ DeleteRequest: { Key } })),
        assertLeaseValid,
      ),
    query,
    scan,
    async putFenced(item, { epoch, write }) {
      const command = new PutItemCommand({
        TableName: name,
        Item: { ...item, epoch: { N: String(epoch) }, write_number: { N: String(write) } },
        // Equal numbers are the same write, repeated after an answer that was lost.
        ConditionExpression:
          'attribute_not_exists(epoch) OR epoch < :epoch OR (epoch = :epoch AND write_number <= :write)',
        ExpressionAttributeValues: { ':epoch': { N: String(epoch) }, ':write': { N: String(write) } },
      });
      // An answer that is unclear need not be counted: late, the write is refused once a newer one has landed.
      const put = () => client.send(command);
      return (await unlessRefused(() => call('save the checkpoint', put))) !== undefined;
    },
    async update(input, assertLeaseValid) {
      const command = new UpdateItemCommand({ TableName: name, ...input });
      const send = () => client.send(command);
      const answer = await unlessRefused(() => call('update an item', send, { before: assertLeaseValid }));
      return answer && (answer.Attributes ?? {});
    },
  };
}

/** DynamoDB left a part unprocessed: it is repeated until the time budget ends. */
function unfinished(what: string): TryAgain {
  return new TryAgain('throttled', new Error(`The service did not ${what} before the time budget ended`));
}

/** Maps a failed condition, which is an answer and not a failure, to `undefined`. */
async function unlessRefused<T>(attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (cause instanceof Error && cause.name === 'ConditionalCheckFailedException') return undefined;
    throw error;
  }
}
