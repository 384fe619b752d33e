import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import dynalite from 'dynalite';
import { closeIterators, corrected, DYNAMODB_TARGET, type DynaliteClient, takeListener } from './dynalite-client.ts';
import {
  type JsonObject,
  type JsonOperation,
  jsonRefusal,
  jsonReply,
  MISSING_TOKEN,
  readJsonRequest,
} from './protocols.ts';
import type { Reply, Service } from './wire.ts';

export interface DynamoDbOptions {
  /** Folder of the store, which then outlives this process. Without one, the store is in memory. */
  readonly path: string | undefined;
  readonly tableName: string;
  readonly region: string;
  readonly account: string;
}

/** DynamoDB (dynalite) with the state table. Closing the server closes the store, but only once the server listens. */
export async function openDynamoDb(
  options: DynamoDbOptions,
): Promise<{ service: Service<JsonOperation>; server: Server }> {
  const { path } = options;
  if (path !== undefined) await mkdir(path, { recursive: true });
  closeIterators();
  const server = dynalite({
    ...(path !== undefined && { path }),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  });
  const client = corrected(takeListener(server));
  await createTable(client, options.tableName);
  return { service: createDynamoDbService(client, options), server };
}

async function createTable(client: DynaliteClient, tableName: string): Promise<void> {
  const created = await client('CreateTable', { TableName: tableName, ...keySchema });
  if (created.status !== 200 && !String(created.body['__type']).endsWith('ResourceInUseException')) {
    throw new Error(`dynalite refused to create the state table: ${String(created.body['message'])}`);
  }
  await untilActive(client, tableName);
}

/** dynalite activates a table shortly after creating it. A process that is killed in between leaves it inactive for ever. */
async function untilActive(client: DynaliteClient, tableName: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const { body } = await client('DescribeTable', { TableName: tableName });
    if ((body['Table'] as { TableStatus?: string } | undefined)?.TableStatus === 'ACTIVE') return;
    await delay(2);
  }
  throw new Error('The state table was left half made and holds nothing. Delete the folder of the database.');
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
  client: DynaliteClient,
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
async function metered(client: DynaliteClient, action: string, input: JsonObject): Promise<Reply> {
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
