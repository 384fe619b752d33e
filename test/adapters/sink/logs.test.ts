import { describe, expect, test } from '@jest/globals';
import { LeaseLostError } from '../../../lambda/core/errors.ts';
import { createLogStore } from '../../../lambda/sink/logs.ts';
import { type AwsScene, awsScene, pass } from '../../support/function/aws-scene.ts';
import { expectRejection, rejection } from '../../support/function/rejection.ts';

const SEQUENCE = '00000000070000000012';
const BATCH = Buffer.from('canary ключ🔑\n'.repeat(10_000));

function logsOf({ clients, aws, retryBudget }: AwsScene, bucket = aws.names.deadLetterBucket) {
  return createLogStore({ client: clients.s3, bucket, retryBudget });
}

describe('the log of a batch', () => {
  test('a log is stored as one object below log/ and read back byte for byte', async () => {
    await using scene = await awsScene();
    const logs = logsOf(scene);
    const stored = await logs.put('assets', SEQUENCE, BATCH, pass);
    expect(stored.key).toBe(`log/assets/${SEQUENCE}`);
    const found = await logs.get(stored.key);
    expect(Buffer.from(found!.batch).equals(BATCH)).toBe(true);
    expect(found!.stored.key).toBe(stored.key);
  });

  test('a log is compressed before it is sent', async () => {
    await using scene = await awsScene();
    let bytes = 0;
    const client = async () => {
      const s3 = await scene.clients.s3();
      return {
        send: (command: { readonly input: { readonly Body: Uint8Array } }) => {
          bytes = command.input.Body.byteLength;
          return s3.send(command);
        },
      };
    };
    const { aws, retryBudget } = scene;
    await createLogStore({ client, bucket: aws.names.deadLetterBucket, retryBudget }).put(
      'assets',
      SEQUENCE,
      BATCH,
      pass,
    );
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(BATCH.byteLength / 50);
  });

  test('a log in a versioned bucket is deleted with its version, because its rows would stay otherwise', async () => {
    await using scene = await awsScene();
    const sent: { readonly input: Record<string, unknown> }[] = [];
    const client = async () => ({
      async send(command: { readonly input: Record<string, unknown> }) {
        sent.push(command);
        return { ETag: 'tag', VersionId: 'v1' };
      },
    });
    const logs = createLogStore({ client, bucket: 'bucket', retryBudget: scene.retryBudget });
    await logs.delete([await logs.put('assets', SEQUENCE, BATCH, pass)]);
    expect(sent[1]!.input).toMatchObject({ Key: `log/assets/${SEQUENCE}`, VersionId: 'v1' });
  });

  test('a missing log is returned as undefined, not thrown as an error', async () => {
    await using scene = await awsScene();
    expect(await logsOf(scene).get('log/assets/none')).toBeUndefined();
  });

  test('a deletion of several logs makes a call for each log', async () => {
    await using scene = await awsScene();
    const logs = logsOf(scene);
    const stored = [await logs.put('assets', SEQUENCE, BATCH, pass), await logs.put('threats', SEQUENCE, BATCH, pass)];
    scene.forget();
    await logs.delete([]);
    expect(scene.calls).toEqual([]);
    await logs.delete([...stored, { key: 'log/assets/none' }]);
    expect(scene.calls).toHaveLength(3);
    for (const { key } of stored) expect(await logs.get(key)).toBeUndefined();
  });

  test('a log is not written after the lease is lost', async () => {
    await using scene = await awsScene();
    const lost = new LeaseLostError('in a test');
    expect(await rejection(logsOf(scene).put('assets', SEQUENCE, BATCH, () => Promise.reject(lost)))).toBe(lost);
    expect(scene.calls).toEqual([]);
  });

  test('a log that cannot be written, read or deleted causes an error without any row content', async () => {
    await using scene = await awsScene();
    const logs = logsOf(scene, 'no-such-bucket');
    for (const [call, said] of [
      [() => logs.put('assets', SEQUENCE, BATCH, pass), 'be written'],
      [() => logs.get('log/assets/none'), 'be read'],
      [() => logs.delete([{ key: 'log/assets/none' }]), 'be deleted'],
    ] as const) {
      await expectRejection(call(), 'LogError', `could not ${said}`);
    }
  });

  test('an object with the key of a log, but other content, is refused with an explanation', async () => {
    await using scene = await awsScene();
    const client = async () => ({ send: async () => ({ Body: { transformToByteArray: async () => BATCH } }) });
    const logs = createLogStore({ client, bucket: 'bucket', retryBudget: scene.retryBudget });
    await expectRejection(logs.get('log/assets/page'), 'LogError');
  });
});
