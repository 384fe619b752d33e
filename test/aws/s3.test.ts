import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from '@jest/globals';
import { openObjectStore } from '../../local/aws/object-store.ts';
import { clientConfig, type Started, started } from './started.ts';

const Bucket = 'security-data-dead-letters';

function clientOf(running: Started): S3Client {
  return new S3Client(clientConfig(running.aws, 'S3'));
}

async function readBack(client: S3Client, Key: string): Promise<string | undefined> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return Body?.transformToString();
}

describe('objects', () => {
  test('are read back as they were put', async () => {
    await using running = await started();
    const client = clientOf(running);
    await client.send(new PutObjectCommand({ Bucket, Key: 'dead-letter/a.json', Body: 'text ü' }));
    expect(await readBack(client, 'dead-letter/a.json')).toBe('text ü');
  });

  test('in chunks are refused, because no command sends them', async () => {
    await using running = await started();
    const Body = Readable.from([Buffer.from('text')]);
    const command = new PutObjectCommand({ Bucket, Key: 'a', Body, ContentLength: 4 });
    await expect(clientOf(running).send(command)).rejects.toMatchObject({ name: 'NotImplemented' });
  });

  test('whose checksum is wrong are refused', async () => {
    await using running = await started();
    const client = clientOf(running);
    const command = new PutObjectCommand({ Bucket, Key: 'a', Body: 'text', ChecksumCRC32: 'AAAAAA==' });
    await expect(client.send(command)).rejects.toMatchObject({ name: 'BadDigest' });
    await expect(readBack(client, 'a')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  test('objects that this machine cannot read are reported as a failure, not as missing', async () => {
    const failures: unknown[] = [];
    await using running = await started({ onFailure: error => failures.push(error) });
    const file = join(running.directory, 's3', Bucket, 'loop');
    await symlink(file, file);
    await expect(readBack(clientOf(running), 'loop')).rejects.toMatchObject({ name: 'InternalFailure' });
    expect(failures).not.toEqual([]);
    for (const failure of failures) expect(failure).toMatchObject({ code: 'ELOOP', path: file });
  });

  const keys = ['a//b/', '../../escape', './.', 'per%cent', 'Ünï \u2028 code+&<>"', 'a?b#c', '%', '__proto__'];
  test.each(keys)('under the key %j stay inside their bucket and are listed by that key', async Key => {
    await using running = await started();
    const client = clientOf(running);
    await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    expect(await readBack(client, Key)).toBe(Key);
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
    expect(Contents?.map(object => object.Key)).toEqual([Key]);
    expect((await readdir(join(running.directory, 's3'))).sort()).toEqual(['.incoming', 'security-data', Bucket]);
  });

  test('are gone once they are deleted, and may be deleted twice', async () => {
    await using running = await started();
    const client = clientOf(running);
    for (const Key of ['a/b', 'a/c']) await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    for (const _ of [1, 2]) {
      const { $metadata } = await client.send(new DeleteObjectCommand({ Bucket, Key: 'a/b' }));
      expect($metadata.httpStatusCode).toBe(204);
    }
    await expect(readBack(client, 'a/b')).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(await readBack(client, 'a/c')).toBe('x');
    const { permission, resource } = running.calls.find(({ action }) => action === 'DeleteObject')!;
    expect([permission, resource]).toEqual(['s3:DeleteObject', `arn:aws:s3:::${Bucket}/a/b`]);
    const elsewhere = client.send(new DeleteObjectCommand({ Bucket: 'other-bucket', Key: 'a' }));
    await expect(elsewhere).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });

  test('that are missing, or whose bucket is missing, are refused by name', async () => {
    await using running = await started();
    const client = clientOf(running);
    await expect(readBack(client, 'none')).rejects.toMatchObject({ name: 'NoSuchKey' });
    const command = new PutObjectCommand({ Bucket: 'other-bucket', Key: 'a', Body: 'text' });
    await expect(client.send(command)).rejects.toMatchObject({ name: 'NoSuchBucket' });
    const store = await openObjectStore(join(running.directory, 's3'), []);
    for (const outside of ['..', '.incoming', 'security-data/events', '']) {
      await expect(store.put(outside, 'a', Buffer.from('text'))).rejects.toMatchObject({ code: 'NoSuchBucket' });
    }
  });
});

describe('listings', () => {
  test('come in pages, in the order of the keys, each key once', async () => {
    await using running = await started();
    const client = clientOf(running);
    const keys = ['a', 'b/1', 'b/2', '\uff5e', '\u{1f600}'];
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    const seen: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 2, ContinuationToken }));
      seen.push(...(page.Contents ?? []).map(({ Key }) => Key));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
    expect(seen).toEqual(keys);
  });
});
