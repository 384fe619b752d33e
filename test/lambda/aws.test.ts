import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { expect, test } from '@jest/globals';
import { createAwsClients } from '../../lambda/aws.ts';
import { httpHarness, silence } from './support/http-harness.ts';
import { rejection } from './support/words.ts';

test('a request that AWS never answers ends after its time-out and is not repeated by the SDK', async () => {
  await using server = await httpHarness(silence);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: server.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 's',
  });
  // The shortest lease gives the shortest time-out.
  const options = { s3PathStyle: true, leaseSeconds: 1 };
  const { dynamodb, firehose, secrets, s3 } = createAwsClients(options);
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
  expect(server.seen).toHaveLength(4);
});
