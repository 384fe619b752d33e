import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from '@jest/globals';
import { openObjectStore } from '../../../local/aws/object-store.ts';
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
  const forms: [string, Partial<PutObjectCommandInput>][] = [
    ['with the checksum in a header', { Body: 'text ü' }],
    [
      'with the checksum in a trailer',
      { Body: Readable.from([Buffer.from('text '), Buffer.from('ü')]), ContentLength: 7 },
    ],
    ['with SHA-256', { Body: 'text ü', ChecksumAlgorithm: 'SHA256' }],
    [
      'with SHA-1 in a trailer',
      { Body: Readable.from([Buffer.from('text ü')]), ContentLength: 7, ChecksumAlgorithm: 'SHA1' },
    ],
  ];
  test.each(forms)('put %s are read back as they were', async (_name, input) => {
    await using running = await started();
    const client = clientOf(running);
    await client.send(new PutObjectCommand({ Bucket, Key: 'dead-letter/a.json', ...input }));
    expect(await readBack(client, 'dead-letter/a.json')).toBe('text ü');
  });

  test('whose checksum is wrong are refused', async () => {
    await using running = await started();
    const client = clientOf(running);
    const command = new PutObjectCommand({ Bucket, Key: 'a', Body: 'text', ChecksumCRC32: 'AAAAAA==' });
    await expect(client.send(command)).rejects.toMatchObject({ name: 'BadDigest' });
    await expect(readBack(client, 'a')).rejects.toMatchObject({ name: 'NoSuchKey' });
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

  test('are asked about without being read', async () => {
    await using running = await started();
    const client = clientOf(running);
    await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'text' }));
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'a' }));
    expect(head).toMatchObject({ ContentLength: 4, ETag: '"1cb251ec0d568de6a929b520c4aed8d1"' });
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'b' }))).rejects.toMatchObject({ name: 'NotFound' });
  });

  test('are not replaced by a put that asks for that', async () => {
    await using running = await started();
    const client = clientOf(running);
    const put = (Body: string) => client.send(new PutObjectCommand({ Bucket, Key: 'a', Body, IfNoneMatch: '*' }));
    await put('first');
    await expect(put('second')).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect(await readBack(client, 'a')).toBe('first');
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

  test('in a bucket that is not there, or not there themselves, are refused by name', async () => {
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

test('a bucket is asked about with the permission to list it', async () => {
  await using running = await started();
  const client = clientOf(running);
  expect(await client.send(new HeadBucketCommand({ Bucket }))).toMatchObject({ BucketRegion: 'us-east-1' });
  expect(running.calls.map(({ permission, resource }) => [permission, resource])).toEqual([
    ['s3:ListBucket', `arn:aws:s3:::${Bucket}`],
  ]);
  const other = client.send(new HeadBucketCommand({ Bucket: 'other-bucket' }));
  await expect(other).rejects.toMatchObject({ name: 'NotFound', $metadata: { httpStatusCode: 404 } });
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

  test('of no keys are empty, and say that this is all', async () => {
    await using running = await started();
    const client = clientOf(running);
    await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a' }));
    const none = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
    expect([none.Contents, none.KeyCount, none.IsTruncated]).toEqual([undefined, 0, false]);
  });

  test('group keys below a delimiter, each group once over all pages', async () => {
    await using running = await started();
    const client = clientOf(running);
    for (const Key of ['p/a/1', 'p/a/2', 'p/b', 'p/c/1', 'q']) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    }
    const query = { Bucket, Prefix: 'p/', Delimiter: '/', MaxKeys: 1 };
    const first = await client.send(new ListObjectsV2Command(query));
    const second = await client.send(
      new ListObjectsV2Command({ ...query, ContinuationToken: first.NextContinuationToken }),
    );
    const third = await client.send(
      new ListObjectsV2Command({ ...query, ContinuationToken: second.NextContinuationToken }),
    );
    expect(first.CommonPrefixes).toEqual([{ Prefix: 'p/a/' }]);
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(['p/b']);
    expect(third).toMatchObject({ CommonPrefixes: [{ Prefix: 'p/c/' }], IsTruncated: false });
  });
});
