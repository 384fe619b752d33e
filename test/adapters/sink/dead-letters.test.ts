import { describe, expect, test } from '@jest/globals';
import { DeadLetterError } from '../../../lambda/core/errors.ts';
import type { DeadLetter } from '../../../lambda/ports.ts';
import { createDeadLetterStore } from '../../../lambda/sink/dead-letters.ts';
import { type AwsScene, awsScene } from '../../support/function/aws-scene.ts';
import { expectRejection, rejection } from '../../support/function/rejection.ts';

const LEASE_VALID = async () => undefined;
const TEXT = '{"n":9007199254740993,"__proto__":1.0,"s":"canary ключ🔑\\ud800"}';
const DEAD_LETTER: DeadLetter = { stream: 'assets', reason: 'no-id', row: TEXT, rowHash: 'abc123' };

function deadLettersOf(scene: AwsScene, bucket = scene.aws.names.deadLetterBucket) {
  return createDeadLetterStore({ client: scene.clients.s3, bucket, connector: 'acme', retryBudget: scene.retryBudget });
}

async function objects(scene: AwsScene): Promise<string[]> {
  return [...(await scene.aws.deadLetters()).keys()];
}

describe('a dead letter', () => {
  test('a dead letter holds the unchanged row, under a key of connector, stream and reason', async () => {
    await using scene = await awsScene();
    await deadLettersOf(scene).store(DEAD_LETTER, LEASE_VALID);
    const key = 'dead-letter/acme/assets/no-id/abc123.json';
    expect(await objects(scene)).toEqual([key]);
    expect((await scene.aws.deadLetters()).get(key)).toBe(
      `{"reason":"no-id","stream":"assets","connector":"acme","row":${TEXT}}\n`,
    );
    expect(deadLettersOf(scene).locate(DEAD_LETTER)).toBe(`s3://${scene.aws.names.deadLetterBucket}/${key}`);
  });

  test('a dead letter remains a single object, however often its row is delivered', async () => {
    await using scene = await awsScene();
    await deadLettersOf(scene).store(DEAD_LETTER, LEASE_VALID);
    await deadLettersOf(scene).store(DEAD_LETTER, LEASE_VALID);
    await deadLettersOf(scene).store({ ...DEAD_LETTER, rowHash: 'def456' }, LEASE_VALID);
    expect(await objects(scene)).toHaveLength(2);
  });

  test('a dead letter is stored at a local S3 endpoint, which does not support per-bucket host names', async () => {
    await using scene = await awsScene();
    // The SDK adds the bucket's name to a host name, but never to an IP address.
    const { AWS_ENDPOINT_URL_S3: endpoint = '' } = scene.aws.environment;
    process.env['AWS_ENDPOINT_URL_S3'] = endpoint.replace('127.0.0.1', 'localhost');
    await deadLettersOf(scene).store(DEAD_LETTER, LEASE_VALID);
    expect(await objects(scene)).toHaveLength(1);
  });

  test('a dead letter that cannot be stored causes an error without any content of the row', async () => {
    await using scene = await awsScene();
    await expectRejection(deadLettersOf(scene, 'no-such-bucket').store(DEAD_LETTER, LEASE_VALID), 'DeadLetterError');
  });

  test('a dead letter counts as stored only when the answer of S3 names an object', async () => {
    await using scene = await awsScene();
    const client = async () => ({ send: async () => ({}) });
    const letters = createDeadLetterStore({
      client,
      bucket: 'bucket',
      connector: 'acme',
      retryBudget: scene.retryBudget,
    });
    expect(await rejection(letters.store(DEAD_LETTER, LEASE_VALID))).toBeInstanceOf(DeadLetterError);
  });

  test('the S3 client is loaded only when a dead letter is stored', async () => {
    await using scene = await awsScene();
    let made = 0;
    const client = () => {
      made++;
      return scene.clients.s3();
    };
    const { names } = scene.aws;
    const options = { client, bucket: names.deadLetterBucket, connector: 'acme', retryBudget: scene.retryBudget };
    const some = createDeadLetterStore(options);
    some.locate(DEAD_LETTER);
    expect(made).toBe(0);
    await some.store(DEAD_LETTER, LEASE_VALID);
    expect(made).toBe(1);
  });
});
