import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rebuildSimulator } from '../../../local/start/embedded-simulator.ts';
import type { Ended } from '../../support/parts/command.ts';
import { check } from '../../support/promise.ts';
import { StateFolder, tableRow } from './start-process.ts';

const NOTHING_SENT = { forwarded: 0, tombstones: 0, withdrawn: 0, 'dead letters': 0 };

/** Files and folders that other users may read, write or enter, including the folder itself. */
async function openToOthers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const modes = ['.', ...entries].map(async name => [name, (await stat(join(folder, name))).mode & 0o077] as const);
  return (await Promise.all(modes)).flatMap(([name, mode]) => (mode === 0 ? [] : [name]));
}

describe('npm start on the embedded API simulator', () => {
  let folder: StateFolder;
  let local: string;
  let first: Ended;
  let second: Ended;
  let changed: Ended;

  beforeAll(async () => {
    folder = await StateFolder.make();
    local = join(folder.path, 'local');
    first = await folder.run(['--assets', '150', '--threats', '250', '--dns-blocks', '400']);
    second = await folder.run([]);
    changed = await folder.run(['--change', '40']);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test('the first run delivers all rows except tombstones of assets that were never sent', () => {
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(tableRow(first, 'assets')).toMatchObject({ read: 150, forwarded: 147, unknown: 3 });
    expect(tableRow(first, 'threats')).toMatchObject({ read: 250, forwarded: 250 });
    expect(tableRow(first, 'dns-blocks')).toMatchObject({ read: 400, forwarded: 400 });
  });

  test('the second run reads rows again without sending any of them', () => {
    expect(second.status).toBe(0);
    expect(tableRow(second, 'all')).toMatchObject(NOTHING_SENT);
    expect(tableRow(second, 'all')['duplicates']).toBeGreaterThan(0);
  });

  test('a run after changes sends a tombstone and withdraws the threats of the removed asset', () => {
    expect(tableRow(changed, 'assets')['tombstones']).toBeGreaterThan(0);
    expect(tableRow(changed, 'threats')['withdrawn']).toBeGreaterThan(0);
  });

  test('the delivered events equal the truth without a repeat, and the tables count them', async () => {
    const lines = await folder.delivered('local');
    const { tenantData } = JSON.parse(await readFile(join(local, 'source.json'), 'utf8'));
    const truth = [...rebuildSimulator(tenantData, Date.now).truthText()].join('');
    expect(check({ lines, truth })).toEqual({ breaches: [], repeats: 0 });
    const sent = [first, second, changed].map(run => tableRow(run, 'all'));
    expect(lines).toHaveLength(sent.reduce((sum, row) => sum + row['forwarded']! + row['withdrawn']!, 0));
  });

  test('files are stored under the same keys as in S3', async () => {
    const entries = await readdir(folder.deliveredFolder('local'), { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(file).toMatch(/\/events\/\d{4}\/\d\d\/\d\d\/\d\d\/[^/]+\.json\.gz$/);
  });

  test('the folder can be read only by the current user', async () => {
    expect(await openToOthers(local)).toEqual([]);
  });

  test('a run shows its progress on the terminal and writes the log of the function to the folder', async () => {
    expect(first.stdout).toMatch(/assets: \d+ pages? \|/);
    expect(first.stdout).not.toContain('{"');
    expect(first.stdout).toContain(join(local, 'function.log'));
    expect(await readFile(join(local, 'function.log'), 'utf8')).toContain('"stream":"threats"');
  });

  describe('with a damaged table', () => {
    let damaged: Ended;
    let reset: Ended;

    beforeAll(async () => {
      await writeFile(join(local, 'dynamodb', 'table.jsonl'), 'damaged\n');
      damaged = await folder.run([]);
      await chmod(local, 0o755);
      reset = await folder.run(['--reset', '--assets', '10', '--threats', '5', '--dns-blocks', '0']);
    });

    test('a run on a damaged table fails with a message about the folder and --reset', () => {
      expect(damaged.status).toBe(1);
      expect(damaged.stderr).toContain(`The state in ${local} cannot be read or written`);
      expect(damaged.stderr).toContain('--reset');
      expect(damaged.stderr).not.toMatch(/^\s+at /m);
    });

    test('a reset starts again with the given rows in a folder for the current user only', async () => {
      expect(reset.status).toBe(0);
      expect(tableRow(reset, 'all')).toMatchObject({ read: 15, forwarded: 15 });
      expect(await folder.delivered('local')).toHaveLength(15);
      expect(await openToOthers(local)).toEqual([]);
    });
  });
});

test.each([
  ['the table', ['--assets', '300', '--page-limit', '10'], 20],
  ['a delivered file', ['--assets', '2000'], 100],
  ['the log of the function', ['--assets', '30'], 200],
])('a full disk ends the run with its reason and a remedy when %s fails first', async (first, args, kibibytes) => {
  await using folder = await StateFolder.make();
  const log = first === 'the log of the function' ? '\n'.repeat(kibibytes * 1024) : '';
  await mkdir(join(folder.path, 'local'));
  await writeFile(join(folder.path, 'local', 'function.log'), log);
  // A limit on the size of files acts as a full disk.
  const shell = `ulimit -f ${kibibytes}`;
  const { status, stderr } = await folder.run([...args, '--threats', '0', '--dns-blocks', '0'], { shell });

  expect(status).toBe(1);
  expect(stderr).toMatch(/^Failed: The state in .* cannot be read or written \(EFBIG: .*\)/);
  expect(stderr).toContain('If the disk is full, free some space and run again');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('the commands that a run prints quote their paths and repeat the options', async () => {
  await using parent = await StateFolder.make();
  const path = join(parent.path, "it's a folder");
  const { stdout } = await parent.run([
    ...['--state-folder', path, '--name', 'try', '--page-limit', '7', '--filter', "threats=severity != 'low'"],
    ...['--assets', '30', '--threats', '30', '--dns-blocks', '0'],
  ]);
  const commands = stdout.split('Try next\n')[1]!.match(/(?<=^ {2})\S.*/gm)!;
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  expect(commands[1]).toBe(`npm run query -- --folder ${quoted(join(path, 'try'))}`);
  expect(commands[2]).toContain(` --state-folder ${quoted(path)} --name try --page-limit 7 --filter 'threats=severity`);
  const look = spawnSync('bash', ['-c', commands[0]!], { encoding: 'utf8' });
  expect(look).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(look.stdout)).toMatchObject({ connector: 'try' });
});
