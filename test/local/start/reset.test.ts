import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { resetFolder } from '../../../local/start/reset.ts';

let parent: string;
let folder: string;
let elsewhere: string;

/** A folder as a run leaves it, and a folder of somebody else. */
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'reset-'));
  folder = join(parent, 'state', 'local');
  elsewhere = join(parent, 'elsewhere');
  await mkdir(join(folder, 'dynamodb'), { recursive: true });
  await mkdir(join(folder, 's3', 'security-data', 'events'), { recursive: true });
  await mkdir(elsewhere);
  await writeFile(join(folder, 'source.json'), '{"version":1,"tenantData":{}}');
  await writeFile(join(folder, 'function.log'), 'a line');
  await writeFile(join(folder, 's3', 'security-data', 'events', 'one.json.gz'), 'bytes');
  await writeFile(join(elsewhere, 'precious'), 'bytes');
});

afterEach(() => rm(parent, { recursive: true }));

/** Every entry below the test's folder, without the lock of the reset. */
async function everything(): Promise<string[]> {
  return (await readdir(parent, { recursive: true })).filter(name => !name.endsWith('.pid')).sort();
}

test('a reset deletes only files that runs have written', async () => {
  await writeFile(join(folder, 'notes.txt'), 'mine');
  await resetFolder(folder);
  expect(await readdir(folder)).toEqual(['notes.txt']);
});

test('a reset creates the folder when it does not exist', async () => {
  await rm(folder, { recursive: true });
  await resetFolder(folder);
  expect(await readdir(folder)).toEqual([]);
});

describe('a refused reset', () => {
  /** Moves the path elsewhere and leaves a link in its place. */
  async function replaceByLink(path: string): Promise<void> {
    const target = join(elsewhere, 'moved');
    await rename(path, target);
    await symlink(target, path);
  }

  test.each([
    ['the state folder', () => join(parent, 'state')],
    ['the table', () => join(folder, 'dynamodb')],
    ['the log', () => join(folder, 'function.log')],
    ['an object', () => join(folder, 's3', 'security-data', 'events', 'one.json.gz')],
  ])('a reset is refused when %s is replaced by a link', async (_, pathOf) => {
    const path = pathOf();
    await replaceByLink(path);
    const before = await everything();
    await expect(resetFolder(folder)).rejects.toMatchObject({
      name: 'StartProblemsError',
      message: expect.stringContaining(`--reset deletes only what a run has written, and ${path} `),
    });
    expect(await everything()).toEqual(before);
  });

  test('a reset is refused when source.json belongs to another program', async () => {
    await writeFile(join(folder, 'source.json'), '{"name":"mine"}');
    const before = await everything();
    await expect(resetFolder(folder)).rejects.toThrow(`${join(folder, 'source.json')} was not written by a run`);
    expect(await everything()).toEqual(before);
  });

  test('a reset is refused when the folder lacks the source.json of a run', async () => {
    await rm(join(folder, 'source.json'));
    await expect(resetFolder(folder)).rejects.toThrow(`${join(folder, 'dynamodb')} was not written by a run`);
  });
});

test('a reset keeps a link that is not part of a run, together with its target', async () => {
  await symlink(join(elsewhere, 'precious'), join(folder, 'mine'));
  await resetFolder(folder);
  expect(await readFile(join(folder, 'mine'), 'utf8')).toBe('bytes');
});
