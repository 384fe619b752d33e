import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { expect, test } from '@jest/globals';
import { createAwsClients } from '../../lambda/aws.ts';
import { leaseTimes } from '../../lambda/lease-times.ts';
import { json } from '../../local/incidents/tampered-api.ts';
import { httpHarness, silence } from '../support/function/http-harness.ts';
import { rejection } from '../support/function/rejection.ts';

const EVERY = Array.from({ length: 900 }, (_, index) => index + 1);

test('for every LEASE_SECONDS a request that starts while the lease is valid ends before the lease does', () => {
  for (const seconds of EVERY) {
    const { term, margin, requestTimeout, connectionTimeout } = leaseTimes(seconds);
    expect(requestTimeout).toBeLessThan(margin);
    expect(connectionTimeout).toBeLessThanOrEqual(requestTimeout);
    // Renewed three times a term: right after a renewal a write may start without another one.
    expect(margin).toBeLessThan((term * 2) / 3);
  }
});

test('a request that AWS never answers ends after the time-out that follows from the lease, and the SDK does not repeat it', async () => {
  await using server = await httpHarness(silence);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: server.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 's',
  });
  // The shortest lease gives the shortest time-out.
  const leaseSeconds = 1;
  const { dynamodb, firehose, secrets, s3 } = createAwsClients({ s3PathStyle: true, leaseSeconds });
  const errors = await Promise.all(
    [
      dynamodb.send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'a' } } })),
      firehose.send(
        new PutRecordBatchCommand({ DeliveryStreamName: 'stream', Records: [{ Data: Buffer.from('{}') }] }),
      ),
      secrets.send(new GetSecretValueCommand({ SecretId: 'secret' })),
      (await s3()).send(new GetObjectCommand({ Bucket: 'bucket', Key: 'key' })),
    ].map(rejection),
  );
  expect(errors.map(({ name }) => name)).toEqual(Array(4).fill('TimeoutError'));
  const { requestTimeout } = leaseTimes(leaseSeconds);
  for (const { message } of errors) expect(message).toContain(`${requestTimeout} ms`);
  expect(server.seen).toHaveLength(4);
});

const ODD = ['', '"', '\\', '\n', '\u0000', '\u2028', '\u007f', 'é', '😀', '__proto__', '\\ud800', 'x'.repeat(3000)];

/** Commands that hold every kind of value that the connector sends. */
function commands() {
  const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 256);
  const item = (text: string) => ({ pk: { S: `row#${text}` }, sk: { S: 'state' }, digest: { S: text } });
  const puts = ODD.map(text => ({ PutRequest: { Item: { ...item(text), n: { N: '1' }, removed: { BOOL: false } } } }));
  const deletes = ODD.map(text => ({ DeleteRequest: { Key: item(text) } }));
  return {
    dynamodb: [
      new BatchWriteItemCommand({ RequestItems: { table: [...puts, ...deletes] } }),
      new BatchGetItemCommand({ RequestItems: { table: { Keys: ODD.map(item), ConsistentRead: true } } }),
      new PutItemCommand({ TableName: 'table', Item: { ...item('a'), window: { B: bytes } } }),
    ],
    firehose: [
      new PutRecordBatchCommand({
        DeliveryStreamName: 'stream',
        // A view of a larger buffer, as Node's pooled buffers are.
        Records: [...ODD.map(text => ({ Data: Buffer.from(text) })), { Data: bytes }, { Data: bytes.subarray(3, 5) }],
      }),
    ],
  };
}

test("the bodies that the clients write themselves say the same as the SDK's own", async () => {
  await using server = await httpHarness(json(200, { UnprocessedItems: {}, Responses: {}, UnprocessedKeys: {} }));
  const endpoint = {
    endpoint: server.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
  };
  Object.assign(process.env, { AWS_ENDPOINT_URL: server.url });
  const ours = createAwsClients({ s3PathStyle: true, leaseSeconds: 60 });
  const sdk = { dynamodb: new DynamoDBClient(endpoint), firehose: new FirehoseClient(endpoint) };
  for (const clients of [ours, sdk]) {
    for (const command of commands().dynamodb) await clients.dynamodb.send(command);
    for (const command of commands().firehose) await clients.firehose.send(command);
  }
  const seen = server.seen.map(({ headers, body }) => [
    headers['x-amz-target'],
    headers['content-type'],
    JSON.parse(body),
  ]);
  expect(seen).toHaveLength(8);
  expect(seen.slice(0, 4)).toEqual(seen.slice(4));
});
