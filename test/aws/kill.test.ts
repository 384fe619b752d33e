import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { expect, test } from '@jest/globals';
import { deliveredLines } from '../support/delivered-lines.ts';
import { clientConfig, started } from './started.ts';

const TableName = 'security-data-connector-state';

async function spawnEndpoints(directory: string) {
  const child = spawn(
    process.execPath,
    ['--no-warnings', join(import.meta.dirname, 'endpoints-process.ts'), directory],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = await once(createInterface(child.stdout), 'line');
  const environment = JSON.parse(String(line)) as Record<string, string>;
  return { child, environment, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

/** Calls again and again until the process is gone; the numbers that were acknowledged. */
async function untilKilled(child: ChildProcess, call: (number: number) => Promise<unknown>): Promise<number[]> {
  const acknowledged: number[] = [];
  for (;;) {
    try {
      await call(acknowledged.length);
    } catch (error) {
      if (child.killed) return acknowledged;
      throw error;
    }
    acknowledged.push(acknowledged.length);
    if (acknowledged.length === 50) child.kill('SIGKILL');
  }
}

test('acknowledged writes and records survive a SIGKILL of the endpoints, which then start again in the same folder', async () => {
  await using place = await started();
  await place.aws.close();
  using spawned = await spawnEndpoints(place.directory);
  const { child, environment } = spawned;
  const there = { ...place.aws, environment };
  const database = new DynamoDBClient(clientConfig(there, 'DYNAMODB'));
  const firehose = new FirehoseClient(clientConfig(there, 'FIREHOSE'));
  const exited = once(child, 'exit');
  const [items, records] = await Promise.all([
    untilKilled(child, number =>
      database.send(new PutItemCommand({ TableName, Item: { pk: { S: String(number) }, sk: { S: 'state' } } })),
    ),
    untilKilled(child, number => {
      const Records = [{ Data: Buffer.from(`${number}\n`) }];
      return firehose.send(new PutRecordBatchCommand({ DeliveryStreamName: 'security-data-connector', Records }));
    }),
  ]);
  expect(await exited).toEqual([null, 'SIGKILL']);

  await using again = await started({ directory: place.directory });
  const { Items } = await new DynamoDBClient(clientConfig(again.aws, 'DYNAMODB')).send(new ScanCommand({ TableName }));
  expect(Items?.map(({ pk }) => Number(pk?.S))).toEqual(expect.arrayContaining(items));
  const lines = (await deliveredLines(again.aws.deliveredFolder)).map(Number);
  expect(lines).toEqual(expect.arrayContaining(records));
  expect(Math.max(items.length, records.length)).toBeGreaterThanOrEqual(50);
});
