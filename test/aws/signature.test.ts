import { BatchGetItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { FirehoseClient, PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from '@jest/globals';
import type { LocalAws } from '../../local/aws/endpoints.ts';
import { randomAccessKey } from '../../local/aws/signature.ts';
import { clientConfig, started } from './started.ts';

const accessKey = randomAccessKey();

type Service = Parameters<typeof clientConfig>[1];

function config(aws: LocalAws, service: Service, { id, secret } = accessKey) {
  return { ...clientConfig(aws, service), credentials: { accessKeyId: id, secretAccessKey: secret } };
}

describe('endpoints with an access key', () => {
  test('accept every request that the SDK signs with it, whatever its path, query and body', async () => {
    await using running = await started({ secret: 'the secret', accessKey });
    const { aws } = running;
    const { names } = aws;
    const secrets = new SecretsManagerClient(config(aws, 'SECRETS_MANAGER'));
    const secret = await secrets.send(new GetSecretValueCommand({ SecretId: names.secret }));
    expect(secret.SecretString).toBe('the secret');
    const Keys = [{ pk: { S: "ü '" }, sk: { S: '*' } }];
    await new DynamoDBClient(config(aws, 'DYNAMODB')).send(
      new BatchGetItemCommand({ RequestItems: { [names.stateTable]: { Keys } } }),
    );
    const Records = [{ Data: Buffer.from('{"ü":1}\n') }];
    await new FirehoseClient(config(aws, 'FIREHOSE')).send(
      new PutRecordBatchCommand({ DeliveryStreamName: names.deliveryStream, Records }),
    );
    const s3 = new S3Client({ ...config(aws, 'S3'), forcePathStyle: true });
    const Bucket = names.deadLetterBucket;
    for (const Key of ['plain', "a b/ü+(1)*'!%20~", 'a=b&c?d']) {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
      await s3.send(new GetObjectCommand({ Bucket, Key }));
      await s3.send(new ListObjectsV2Command({ Bucket, Prefix: Key, ContinuationToken: 'QSsgfg==', MaxKeys: 2 }));
    }
    expect(running.calls.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });

  const SERVICES = {
    SECRETS_MANAGER: {
      ask: (aws: LocalAws, key: typeof accessKey) =>
        new SecretsManagerClient(config(aws, 'SECRETS_MANAGER', key)).send(
          new GetSecretValueCommand({ SecretId: aws.names.secret }),
        ),
      unknown: [400, 'UnrecognizedClientException'],
      wrong: [400, 'InvalidSignatureException'],
    },
    DYNAMODB: {
      ask: (aws: LocalAws, key: typeof accessKey) =>
        new DynamoDBClient(config(aws, 'DYNAMODB', key)).send(new BatchGetItemCommand({ RequestItems: {} })),
      unknown: [400, 'UnrecognizedClientException'],
      wrong: [400, 'InvalidSignatureException'],
    },
    FIREHOSE: {
      ask: (aws: LocalAws, key: typeof accessKey) =>
        new FirehoseClient(config(aws, 'FIREHOSE', key)).send(
          new PutRecordBatchCommand({ DeliveryStreamName: aws.names.deliveryStream, Records: [] }),
        ),
      unknown: [400, 'UnrecognizedClientException'],
      wrong: [400, 'InvalidSignatureException'],
    },
    S3: {
      ask: (aws: LocalAws, key: typeof accessKey) =>
        new S3Client({ ...config(aws, 'S3', key), forcePathStyle: true }).send(
          new ListObjectsV2Command({ Bucket: aws.names.bucket }),
        ),
      unknown: [403, 'InvalidAccessKeyId'],
      wrong: [403, 'SignatureDoesNotMatch'],
    },
  };

  test.each(Object.entries(SERVICES))(
    '%s refuses an unknown key id and a wrong secret as AWS does',
    async (_, each) => {
      await using running = await started({ secret: 'the secret', accessKey });
      const refusal = (key: typeof accessKey) =>
        each.ask(running.aws, key).then(
          () => 'answered',
          error => [error.$metadata.httpStatusCode, error.name],
        );
      expect(await refusal({ ...accessKey, id: 'local' })).toEqual(each.unknown);
      expect(await refusal({ ...accessKey, secret: 'local' })).toEqual(each.wrong);
      expect(running.calls).toEqual([]);
    },
  );

  test('refuse a recorded signature with another body, another action or an uncovered header', async () => {
    await using running = await started({ secret: 'the secret', accessKey });
    const { aws } = running;
    const recorded: { headers: Record<string, string>; body: Uint8Array }[] = [];
    const client = new SecretsManagerClient(config(aws, 'SECRETS_MANAGER'));
    client.middlewareStack.add(
      next => async args => {
        const { headers, body } = args.request as (typeof recorded)[number];
        recorded.push({ headers, body });
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    await client.send(new GetSecretValueCommand({ SecretId: aws.names.secret }));
    const [{ headers, body }] = recorded as [(typeof recorded)[number]];
    const send = async (changes: Record<string, string>, text: Uint8Array = body) => {
      const { host: _, 'content-length': __, ...rest } = headers;
      const url = aws.environment['AWS_ENDPOINT_URL_SECRETS_MANAGER']!;
      const answer = await fetch(url, { method: 'POST', headers: { ...rest, ...changes }, body: text });
      return ((await answer.json()) as { __type?: string }).__type;
    };
    expect(await send({})).toBeUndefined();
    expect(await send({}, Buffer.concat([Buffer.from(body), Buffer.from(' ')]))).toBe('InvalidSignatureException');
    expect(await send({ 'x-amz-target': 'secretsmanager.DescribeSecret' })).toBe('InvalidSignatureException');
    expect(await send({ 'x-amz-other': '1' })).toBe('InvalidSignatureException');
    expect(await send({ 'x-amz-date': '20200101T000000Z' })).toBe('InvalidSignatureException');
  });
});

test('no two access keys are alike', () => {
  const keys = Array.from({ length: 3 }, randomAccessKey);
  expect(new Set(keys.flatMap(({ id, secret }) => [id, secret])).size).toBe(6);
});
