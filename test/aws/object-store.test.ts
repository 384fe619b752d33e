import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openObjectStore } from '../../local/aws/object-store.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';

async function openStore() {
  const folder = await temporaryFolder('objects-');
  const store = await openObjectStore(folder.path, ['bucket']);
  return { ...store, path: folder.path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const KEYS = ['a//b/', '../../escape', './.', 'per%cent', 'Ünï \u2028 code+&<>"', 'a?b#c', '%', '__proto__'];

test.each(KEYS)('the object with the key %j stays inside its bucket and is listed with its key', async key => {
  await using store = await openStore();
  await store.put('bucket', key, Buffer.from(key));

  expect(String((await store.get('bucket', key)).bytes)).toBe(key);
  expect(await store.keys('bucket', '')).toEqual([key]);
  expect((await readdir(store.path)).sort()).toEqual(['.incoming', 'bucket']);
});

test('the keys of a bucket are listed in the order of their UTF-8 bytes, as in S3', async () => {
  await using store = await openStore();
  const sorted = ['a', 'b/1', 'b/2', '\uff5e', '\u{1f600}'];
  for (const key of sorted.toReversed()) await store.put('bucket', key, Buffer.from('x'));
  expect(await store.keys('bucket', '')).toEqual(sorted);
  expect(await store.keys('bucket', 'b/')).toEqual(['b/1', 'b/2']);
});

test.each(['other', '..', '.incoming', 'bucket/events', ''])(
  'an object in the bucket %j is refused, because the bucket does not exist',
  async name => {
    await using store = await openStore();
    await store.put('bucket', 'events/a', Buffer.from('x'));
    await expect(store.put(name, 'a', Buffer.from('x'))).rejects.toMatchObject({ code: 'NoSuchBucket' });
  },
);

test('a missing object causes NoSuchKey, but an unreadable object causes the error of the file system', async () => {
  await using store = await openStore();
  await expect(store.get('bucket', 'none')).rejects.toMatchObject({ code: 'NoSuchKey' });
  const file = join(store.path, 'bucket', 'loop');
  await symlink(file, file);
  await expect(store.get('bucket', 'loop')).rejects.toMatchObject({ code: 'ELOOP' });
});
