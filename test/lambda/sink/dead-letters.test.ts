import { describe, expect, test } from '@jest/globals';
import { DeadLetterError } from '../../../lambda/core/errors.ts';
import type { DeadLetter } from '../../../lambda/ports.ts';
import { createDeadLetters } from '../../../lambda/sink/dead-letters.ts';
import { THROTTLED } from '../../../local/aws/faults.ts';
import { type AwsScene, awsScene } from '../support/aws-scene.ts';
import { rejection, wordsOf } from '../support/words.ts';

const HELD = async () => undefined;
const TEXT = '{"n":9007199254740993,"__proto__":1.0,"s":"canary ключ🔑\\ud800"}';
const LETTER: DeadLetter = { stream: 'assets', reason: 'no-id', text: TEXT, rowHash: 'abc123' };

function letters(scene: AwsScene, bucket = scene.aws.names.deadLetterBucket) {
  return createDeadLetters({ client: scene.clients.s3, bucket, connector: 'acme', retryBudget: scene.retryBudget });
}

async function objects(scene: AwsScene): Promise<string[]> {
  return [...(await scene.aws.deadLetters()).keys()];
}

describe('a dead letter', () => {
  test('lies below dead-letter/ by connector, stream and reason, and holds the row as the API sent it', async () => {
    await using scene = await awsScene();
    await letters(scene).store(LETTER, HELD);
    const key = 'dead-letter/acme/assets/no-id/abc123.json';
    expect(await objects(scene)).toEqual([key]);
    expect((await scene.aws.deadLetters()).get(key)).toBe(
      `{"reason":"no-id","stream":"assets","connector":"acme","row":${TEXT}}\n`,
    );
    expect(letters(scene).locate(LETTER)).toBe(`s3://${scene.aws.names.deadLetterBucket}/${key}`);
  });

  test('is one object, however often its row is delivered', async () => {
    await using scene = await awsScene();
    await letters(scene).store(LETTER, HELD);
    await letters(scene).store(LETTER, HELD);
    await letters(scene).store({ ...LETTER, rowHash: 'def456' }, HELD);
    expect(await objects(scene)).toHaveLength(2);
  });

  test('finds its bucket in the path at an endpoint that has no host name a bucket', async () => {
    await using scene = await awsScene();
    // To an address the SDK never adds a bucket's name; to a name it does, unless told not to.
    const { AWS_ENDPOINT_URL_S3: endpoint = '' } = scene.aws.environment;
    process.env['AWS_ENDPOINT_URL_S3'] = endpoint.replace('127.0.0.1', 'localhost');
    await letters(scene).store(LETTER, HELD);
    expect(await objects(scene)).toHaveLength(1);
  });

  test('of megabytes is stored whole', async () => {
    await using scene = await awsScene();
    const text = JSON.stringify({ id: 'a', text: 'x'.repeat(2_000_000) });
    await letters(scene).store({ ...LETTER, reason: 'oversize', text }, HELD);
    const [key = ''] = await objects(scene);
    expect((await scene.aws.deadLetters()).get(key)).toContain(`"row":${text}}`);
  });

  test.each([
    ['a lost request', { loseRequest: true }],
    ['a lost answer', { loseAnswer: true }],
    ['SlowDown', THROTTLED.s3],
  ])('survives %s', async (_what, fault) => {
    await using scene = await awsScene();
    scene.aws.faults.next('s3', fault, fault);
    await letters(scene).store(LETTER, HELD);
    expect(await objects(scene)).toHaveLength(1);
  });

  test('that cannot be stored is an error, without a word of the row', async () => {
    await using scene = await awsScene();
    const error = await rejection(letters(scene, 'no-such-bucket').store(LETTER, HELD));
    expect(error).toBeInstanceOf(DeadLetterError);
    expect(wordsOf(error)).not.toContain('canary');
  });

  test('brings the S3 client only when there is one', async () => {
    await using scene = await awsScene();
    let made = 0;
    const client = () => {
      made++;
      return scene.clients.s3();
    };
    const { names } = scene.aws;
    const options = { client, bucket: names.deadLetterBucket, connector: 'acme', retryBudget: scene.retryBudget };
    const some = createDeadLetters(options);
    some.locate(LETTER);
    expect(made).toBe(0);
    await some.store(LETTER, HELD);
    expect(made).toBe(1);
  });
});
