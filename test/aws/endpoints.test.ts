import { request } from 'node:http';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from '@jest/globals';
import { startAws } from './endpoints.ts';
import { clientConfig, started } from './started.ts';

const ENDPOINTS = ['DYNAMODB', 'FIREHOSE', 'SECRETS_MANAGER', 'S3'].map(name => `AWS_ENDPOINT_URL_${name}`);

describe('the endpoints', () => {
  test('are found by SDK clients through the environment alone, and every call is recorded with its IAM action', async () => {
    await using running = await started();
    const { environment, names } = running.aws;
    Object.assign(process.env, environment);
    const Bucket = names.deadLetterBucket;
    await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: names.secret }));
    const Key = { pk: { S: 'a' }, sk: { S: 'b' } };
    await new DynamoDBClient().send(new GetItemCommand({ TableName: names.stateTable, Key }));
    const Records = [{ Data: Buffer.from('{}\n') }];
    await new FirehoseClient().send(new PutRecordBatchCommand({ DeliveryStreamName: names.deliveryStream, Records }));
    const s3 = new S3Client();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'dead-letter/a', Body: 'x' }));
    await s3.send(new GetObjectCommand({ Bucket, Key: 'dead-letter/a' }));
    await s3.send(new ListObjectsV2Command({ Bucket }));
    for (const name of Object.keys(environment)) delete process.env[name];
    expect(running.calls.map(({ permission, resource, status }) => [permission, resource, status])).toEqual([
      ['secretsmanager:GetSecretValue', running.aws.secret.arn, 200],
      ['dynamodb:GetItem', 'arn:aws:dynamodb:us-east-1:000000000000:table/security-data-connector-state', 200],
      [
        'firehose:PutRecordBatch',
        'arn:aws:firehose:us-east-1:000000000000:deliverystream/security-data-connector',
        200,
      ],
      ['s3:PutObject', 'arn:aws:s3:::security-data-dead-letters/dead-letter/a', 200],
      ['s3:GetObject', 'arn:aws:s3:::security-data-dead-letters/dead-letter/a', 200],
      ['s3:ListBucket', 'arn:aws:s3:::security-data-dead-letters', 200],
    ]);
  });

  test('refuse an unsigned request, and count no call', async () => {
    await using running = await started();
    const answers = await Promise.all(
      ENDPOINTS.map(async name => {
        const answer = await fetch(running.aws.environment[name]!, { method: 'POST', body: '{}' });
        return [answer.status, await answer.text()];
      }),
    );
    const missing = [400, expect.stringContaining('"MissingAuthenticationTokenException"')];
    expect(answers).toEqual([missing, missing, missing, [403, expect.stringContaining('<Code>AccessDenied</Code>')]]);
    expect(running.calls).toEqual([]);
  });

  test('finish and answer the calls in progress when they are closed, and do not wait for an incomplete request', async () => {
    await using running = await started();
    const { environment, names, faults } = running.aws;
    const url = environment['AWS_ENDPOINT_URL_FIREHOSE']!;
    const half = request(url, { method: 'POST', headers: { 'content-length': 1000 } });
    const cut = new Promise(resolve => half.once('error', resolve));
    await new Promise(resolve => half.write('{', resolve));
    let closed: Promise<void> | undefined;
    faults.always('firehose', () => {
      closed = running.aws.close();
      return { latencyMilliseconds: 1 };
    });
    const client = new FirehoseClient(clientConfig(running.aws, 'FIREHOSE'));
    const Records = [{ Data: Buffer.from('{}\n') }];
    const put = new PutRecordBatchCommand({ DeliveryStreamName: names.deliveryStream, Records });
    expect(await client.send(put)).toMatchObject({ FailedPutCount: 0 });
    await closed;
    expect(await cut).toMatchObject({ message: expect.stringMatching(/ECONNRESET|socket hang up/) });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  test('refuse a folder that another set of endpoints uses', async () => {
    await using running = await started();
    const second = startAws({ directory: running.directory, secret: '{}' });
    await expect(second).rejects.toMatchObject({ name: 'DirectoryInUseError' });
  });
});
