import { join } from 'node:path';
import { JournalTable } from './journal.ts';
import {
  type JsonObject,
  type JsonOperation,
  jsonRefusal,
  jsonReply,
  MISSING_TOKEN,
  readJsonRequest,
} from './protocols.ts';
import { AwsError } from './service.ts';
import { Table } from './table.ts';
import type { Reply, Service } from './wire.ts';

export const DYNAMODB_TARGET = 'DynamoDB_20120810';

export interface DynamoDbAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Performs actions of DynamoDB on inputs as they are on the wire, where bytes are base64. */
export type DynamoDbClient = (action: string, input: JsonObject) => Promise<DynamoDbAnswer>;

export interface DynamoDbOptions {
  /** Folder of the table, which then outlives this process. Without one, the table is in memory. */
  readonly path: string | undefined;
  readonly tableName: string;
  readonly region: string;
  readonly account: string;
}

/** DynamoDB with the state table. */
export function openDynamoDb(options: DynamoDbOptions): Service<JsonOperation> {
  const { path, tableName } = options;
  const table = path === undefined ? new Table(tableName) : new JournalTable(tableName, join(path, 'table.jsonl'));
  return createDynamoDbService(dynamoDbClient(table), options);
}

export function dynamoDbClient(table: Table): DynamoDbClient {
  return async (action, input) => {
    try {
      const { output, readUnits, writeUnits } = table.perform(
        action,
        mapBytes(input, text => Buffer.from(text as string, 'base64')),
      );
      const capacity = { TableName: tableOf(input), CapacityUnits: readUnits ?? writeUnits };
      const ConsumedCapacity = action.startsWith('Batch') ? [capacity] : capacity;
      const body = mapBytes(output, bytes => Buffer.from(bytes as Uint8Array).toString('base64'));
      return { status: 200, body: input['ReturnConsumedCapacity'] ? { ...body, ConsumedCapacity } : body };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return {
        status: error.status,
        body: { __type: `com.amazonaws.dynamodb.v20120810#${error.code}`, message: error.message },
      };
    }
  };
}

/** The same value with its bytes changed. */
function mapBytes<T>(value: T, change: (bytes: unknown) => unknown): T {
  if (Array.isArray(value)) return value.map(entry => mapBytes(entry, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === 'B' ? change(member) : mapBytes(member, change),
  ]);
  return Object.fromEntries(members);
}

/** CreateTable's input for the state table, without its name. */
export const keySchema = {
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk'].map(name => ({ AttributeName: name, AttributeType: 'S' as const })),
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ],
};

/** DynamoDB's protocol in front of a client that performs the actions. Adds faults and meters every call. */
export function createDynamoDbService(
  client: DynamoDbClient,
  place: { readonly region: string; readonly account: string },
): Service<JsonOperation> {
  return {
    name: 'dynamodb',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, DYNAMODB_TARGET);
      const resource = `arn:aws:dynamodb:${place.region}:${place.account}:table/${tableOf(input)}`;
      return { action, permission: `dynamodb:${action}`, resource, input };
    },
    async perform({ action, input }, _request, fault) {
      const split = fault.failItems && splitBatch(action, input, fault.failItems);
      if (!split) return metered(client, action, input);
      const reply = split.done ? await metered(client, action, split.done) : jsonReply('1.0', {});
      if (reply.status !== 200) return reply;
      return { ...reply, body: JSON.stringify(withUnprocessed(action, JSON.parse(String(reply.body)), split.left)) };
    },
    refusal: error => jsonRefusal('1.0', error),
  };
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/** Always requests the consumed capacity, and returns it only to a caller that requested it. */
async function metered(client: DynamoDbClient, action: string, input: JsonObject): Promise<Reply> {
  const asked = (input['ReturnConsumedCapacity'] ?? 'NONE') !== 'NONE';
  const metering = READS.has(action) || action.endsWith('Item');
  const { status, body } = await client(
    action,
    asked || !metering ? input : { ...input, ReturnConsumedCapacity: 'TOTAL' },
  );
  const { ConsumedCapacity: capacity, ...rest } = body;
  const units = [capacity ?? []]
    .flat()
    .reduce((sum: number, each) => sum + (each as { CapacityUnits: number }).CapacityUnits, 0);
  const reply = { ...jsonReply('1.0', asked ? body : rest), status };
  if (!metering) return reply;
  return READS.has(action) ? { ...reply, readUnits: units } : { ...reply, writeUnits: units };
}

function tableOf(input: JsonObject): string {
  return String(input['TableName'] ?? Object.keys((input['RequestItems'] ?? {}) as object)[0] ?? '*');
}

type Requests = Readonly<Record<string, unknown>>;

/**
 * Splits a batch by the position of its items, counted over all tables: the request without the items that `isLeft` names, and
 * those items as the answer returns them. Undefined for other actions.
 */
function splitBatch(action: string, input: JsonObject, isLeft: (index: number) => boolean) {
  if (action !== 'BatchGetItem' && action !== 'BatchWriteItem') return undefined;
  let index = 0;
  const done: Record<string, unknown> = {};
  const left: Record<string, unknown> = {};
  for (const [table, entry] of Object.entries((input['RequestItems'] ?? {}) as Record<string, unknown[]>)) {
    const keys = entry as unknown as { readonly Keys: readonly unknown[] };
    const parts = Object.groupBy(action === 'BatchGetItem' ? keys.Keys : entry, () =>
      isLeft(index++) ? 'left' : 'done',
    );
    const wrap = (items: readonly unknown[]) => (action === 'BatchGetItem' ? { ...keys, Keys: items } : items);
    if (parts.done) done[table] = wrap(parts.done);
    if (parts.left) left[table] = wrap(parts.left);
  }
  return { done: Object.keys(done).length > 0 ? { ...input, RequestItems: done } : undefined, left };
}

/** The answer of a batch with unprocessed items. */
function withUnprocessed(action: string, answer: JsonObject, left: Requests): JsonObject {
  if (Object.keys(left).length === 0) return answer;
  const member = action === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
  const before = (answer[member] ?? {}) as Requests;
  return { ...(action === 'BatchGetItem' ? { Responses: {} } : {}), ...answer, [member]: { ...before, ...left } };
}
