import { GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { expect, test } from '@jest/globals';
import { type AwsClients, createAwsClients } from '../../lambda/aws.ts';
import { leaseTimes } from '../../lambda/lease-times.ts';
import { type HttpHarness, httpHarness, silence } from '../support/function/http-harness.ts';
import { rejection } from '../support/function/rejection.ts';

const EVERY = Array.from({ length: 900 }, (_, index) => index + 1);

function clientsOf({ url }: HttpHarness, leaseSeconds: number): AwsClients {
  const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
  Object.assign(process.env, { AWS_ENDPOINT_URL: url, ...credentials });
  return createAwsClients({ s3PathStyle: true, leaseSeconds });
}

test('every request that starts under a valid lease ends before the lease, for any LEASE_SECONDS', () => {
  for (const seconds of EVERY) {
    const { term, margin, requestTimeout, connectionTimeout } = leaseTimes(seconds);
    expect(requestTimeout).toBeLessThan(margin);
    expect(connectionTimeout).toBeLessThanOrEqual(requestTimeout);
    // Renewed three times a term: right after a renewal a write may start without another one.
    expect(margin).toBeLessThan((term * 2) / 3);
  }
});

test('a request that AWS never answers ends after the time-out that follows from LEASE_SECONDS', async () => {
  await using server = await httpHarness(silence);
  // The shortest lease gives the shortest time-out.
  const leaseSeconds = 1;
  const { dynamodb, firehose, secrets, s3 } = clientsOf(server, leaseSeconds);
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
  // A busy machine may not even send a request in so short a time.
  expect(server.seen.length).toBeLessThanOrEqual(4);
});

test('an answer of DynamoDB without a body is an error, although its status is 200', async () => {
  await using server = await httpHarness(response => response.writeHead(200).end());
  const { dynamodb } = clientsOf(server, 60);
  const Key = { pk: { S: 'a' } };
  for (const command of [
    new PutItemCommand({ TableName: 'table', Item: Key }),
    new UpdateItemCommand({ TableName: 'table', Key }),
  ])
    expect((await rejection(dynamodb.send(command))).name).toBe('IncompleteAnswerError');
});
