import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import dynalite from 'dynalite';
import { DYNAMODB_TARGET, type DynaliteClient, takeListener } from './dynalite-client.ts';
import { splitBatch, withUndone } from './dynamodb-batches.ts';
import { type JsonObject, jsonRefusal, jsonReply, MISSING_TOKEN, readJsonRequest } from './json-protocol.ts';
import type { Operation, Reply, Service } from './wire.ts';

export interface DynamoDbOptions {
  /** Folder of the store: what is written there outlives this process. */
  readonly path: string;
  readonly tableName: string;
  readonly region: string;
  readonly account: string;
}

interface DynamoDbOperation extends Operation {
  readonly input: JsonObject;
}

/** DynamoDB (dynalite) on disk with the state table. The server must be listening before its close closes the store. */
export async function openDynamoDb(
  options: DynamoDbOptions,
): Promise<{ service: Service<DynamoDbOperation>; server: Server }> {
  await mkdir(options.path, { recursive: true });
  const server = dynalite({ path: options.path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const client = takeListener(server);
  await createTable(client, options.tableName);
  const service: Service<DynamoDbOperation> = {
    name: 'dynamodb',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, DYNAMODB_TARGET);
      const resource = `arn:aws:dynamodb:${options.region}:${options.account}:table/${tableOf(input)}`;
      return { action, permission: `dynamodb:${action}`, resource, input };
    },
    async perform({ action, input }, _request, fault) {
      const split = fault.failItems && splitBatch(action, input, fault.failItems);
      if (!split) return metered(client, action, input);
      const reply = split.done ? await metered(client, action, split.done) : jsonReply('1.0', {});
      if (reply.status !== 200) return reply;
      return { ...reply, body: JSON.stringify(withUndone(action, JSON.parse(String(reply.body)), split.undone)) };
    },
    refusal: error => jsonRefusal('1.0', error),
  };
  return { service, server };
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/** Asks for the consumed capacity whether or not the caller did, and tells it only to a caller that did. */
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

async function createTable(client: DynaliteClient, tableName: string): Promise<void> {
  const created = await client('CreateTable', {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk'].map(name => ({ AttributeName: name, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  if (created.status !== 200 && !String(created.body['__type']).endsWith('ResourceInUseException')) {
    throw new Error(`dynalite refused to create the state table: ${String(created.body['message'])}`);
  }
  await untilActive(client, tableName);
}

/** dynalite makes a table active a moment after it was created; killed in between, it never does. */
async function untilActive(client: DynaliteClient, tableName: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const { body } = await client('DescribeTable', { TableName: tableName });
    if ((body['Table'] as { TableStatus?: string } | undefined)?.TableStatus === 'ACTIVE') return;
    await delay(2);
  }
  throw new Error('The state table was left half made, and holds nothing. Delete the folder of the database.');
}
