/**
 * Wraps the DynamoDB operations that the connector uses. It splits batches at DynamoDB's limits,
 * repeats unprocessed items, and wraps failures.
 */
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
import { type AwsCallOptions, awsFailure, callAws, type Sender } from '../aws.ts';
import { IncompleteAnswerError, StateError } from '../core/errors.ts';
import { chunks, inParallel } from '../core/in-parallel.ts';
import { type RetryBudget, TryAgain } from '../core/retry.ts';
import type { AssertLeaseValid, Fence } from '../ports.ts';
import type { Item, Key } from './item.ts';

export interface Table {
  /** Reads items in strongly consistent reads. The keys must differ from one another. */
  get(keys: readonly Key[]): Promise<Item[]>;
  put(items: readonly Item[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  delete(keys: readonly Key[], assertLeaseValid: AssertLeaseValid): Promise<void>;
  /**
   * Reads the items of a partition in strongly consistent reads, in the order of the sort key: all
   * of them, or the first `limit` after a key.
   */
  query(pk: string, limit?: number, after?: Key): Promise<Item[]>;
  /** Reads one page of all items in a strongly consistent read. The order has no meaning. */
  scan(input: ScanInput): Promise<ItemPage>;
  /** @returns false when a later write has landed. */
  putFenced(item: Item, fence: Fence): Promise<boolean>;
  /**
   * @returns the attributes that `ReturnValues` requests, or undefined when the condition was not
   * met.
   */
  update(
    input: Omit<UpdateItemCommandInput, 'TableName'>,
    assertLeaseValid?: AssertLeaseValid,
  ): Promise<Item | undefined>;
}

type ScanInput = Pick<
  ScanCommandInput,
  'Limit' | 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues' | 'ExclusiveStartKey'
>;

export interface ItemPage {
  readonly items: readonly Item[];
  /** Key at which the next page begins. Absent after the last page. */
  readonly next: Item | undefined;
}

const GET_LIMIT = 100;
const WRITE_LIMIT = 25;

type Keys = Record<string, AttributeValue>[];

/**
 * Creates the table. Every method rejects with StateError, or with the error of the lease check.
 *
 * @param onUnclearWrite called after each answer that does not say whether a write took place
 */
export function createTable(
  client: Sender,
  name: string,
  budget: RetryBudget,
  onUnclearWrite: () => void = () => undefined,
): Table {
  const call = <T>(action: string, attempt: () => Promise<T>, policy?: Pick<AwsCallOptions, 'before' | 'stop'>) =>
    callAws(attempt, { budget, failed: cause => new StateError(action, { cause }), ...policy });

  async function getBatch(keys: readonly Key[], stop: AbortSignal): Promise<Item[]> {
    const items: Item[] = [];
    let left: Keys = [...keys];
    const get = async () => {
      const input = { RequestItems: { [name]: { Keys: left, ConsistentRead: true } } };
      const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand(input));
      const found: Item[] | undefined = Responses?.[name];
      const unprocessed: Keys = UnprocessedKeys?.[name]?.Keys ?? [];
      // Only a list of the items found proves that the other keys have no item.
      if (!UnprocessedKeys || (!found && unprocessed.length < left.length))
        throw new IncompleteAnswerError('DynamoDB', 'BatchGetItem', 'without the items of the table');
      items.push(...(found ?? []));
      left = unprocessed;
      if (left.length > 0) throw unfinished('read every item');
    };
    await call('read items', get, { stop });
    return items;
  }

  async function writeBatch(all: readonly WriteRequest[], before: AssertLeaseValid, stop: AbortSignal): Promise<void> {
    let left = [...all];
    const write = async () => {
      const command = new BatchWriteItemCommand({ RequestItems: { [name]: left } });
      const { UnprocessedItems } = await client.send(command).catch((error: unknown) => {
        // The request may still be on its way, although its connection was given up.
        if (awsFailure(error) === 'transient') onUnclearWrite();
        throw error;
      });
      const { [name]: unprocessed = [], ...others } = UnprocessedItems ?? { none: [] };
      if (Object.keys(others).length > 0)
        throw new IncompleteAnswerError('DynamoDB', 'BatchWriteItem', 'without the unprocessed items of the table');
      left = unprocessed;
      if (left.length > 0) throw unfinished('write every item');
    };
    await call('write items', write, { before, stop });
  }

  const writeAll = async (requests: readonly WriteRequest[], assertLeaseValid: AssertLeaseValid) => {
    await inParallel(chunks(requests, WRITE_LIMIT), (batch, stop) => writeBatch(batch, assertLeaseValid, stop));
  };

  const readPage = (action: 'Query' | 'Scan', command: QueryCommand | ScanCommand): Promise<ItemPage> =>
    call(`${action.toLowerCase()} items`, async () => {
      const { Items, LastEvaluatedKey } = await client.send(command);
      if (!Items) throw new IncompleteAnswerError('DynamoDB', action, 'without Items');
      return { items: Items, next: LastEvaluatedKey };
    });

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
    async query(pk, limit, after) {
      const items: Item[] = [];
      let from: Item | undefined = after;
      do {
        const input = {
          TableName: name,
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: pk } },
          Limit: limit && limit - items.length,
          ExclusiveStartKey: from,
        };
        const page = await readPage('Query', new QueryCommand(input));
        items.push(...page.items);
        from = page.next;
      } while (from && items.length < (limit ?? Number.POSITIVE_INFINITY));
      return items;
    },
    scan: input => readPage('Scan', new ScanCommand({ TableName: name, ConsistentRead: true, ...input })),
    async putFenced(item, { epoch, write }) {
      const command = new PutItemCommand({
        TableName: name,
        Item: { ...item, epoch: { N: String(epoch) }, write_number: { N: String(write) } },
        // Equal numbers mean the same write, which is repeated after its answer was lost.
        ConditionExpression:
          'attribute_not_exists(epoch) OR epoch < :epoch OR (epoch = :epoch AND write_number <= :write)',
        ExpressionAttributeValues: { ':epoch': { N: String(epoch) }, ':write': { N: String(write) } },
      });
      // An unclear answer need not be counted, because a late write is refused once a newer write
      // has landed.
      return (
        (await call(
          'save the checkpoint',
          unlessRefused(() => client.send(command)),
        )) !== undefined
      );
    },
    async update(input, assertLeaseValid) {
      const command = new UpdateItemCommand({ TableName: name, ...input });
      const send = unlessRefused(() => client.send(command));
      const answer = await call('update an item', send, { before: assertLeaseValid });
      return answer && (answer.Attributes ?? {});
    },
  };
}

/**
 * Error for a batch that DynamoDB left unprocessed in part. That part is requested again until the
 * time budget ends.
 */
function unfinished(action: string): TryAgain {
  return new TryAgain('throttled', new Error(`The service did not ${action} before the time budget ended`));
}

/** Maps a failed condition to `undefined`, because it is an answer and not a failure. */
function unlessRefused<T>(send: () => Promise<T>): () => Promise<T | undefined> {
  return () =>
    send().catch((error: unknown) => {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined;
      throw error;
    });
}
