import { mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import dynalite from 'dynalite';
import { type DynaliteClient, takeListener } from './dynalite-client.ts';
import { corrected } from './dynalite-corrections.ts';
import { createDynamoDbService, type DynamoDbOperation } from './dynamodb-service.ts';
import { keySchema } from './state-table-schema.ts';
import type { Service } from './wire.ts';

export interface DynamoDbOptions {
  /** Folder of the store, which then outlives this process; without one it is held in memory. */
  readonly path: string | undefined;
  readonly tableName: string;
  readonly region: string;
  readonly account: string;
}

/** DynamoDB (dynalite) with the state table. The server must be listening before its close closes the store. */
export async function openDynamoDb(
  options: DynamoDbOptions,
): Promise<{ service: Service<DynamoDbOperation>; server: Server }> {
  const { path } = options;
  if (path !== undefined) await mkdir(path, { recursive: true });
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
  const created = await client('CreateTable', {
    TableName: tableName,
    ...keySchema,
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
