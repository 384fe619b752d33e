/** The commands that the README shows, in the order in which it shows them. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventDatabase } from '../../../local/query/event-database.ts';
import { rebuildSimulator } from '../../../local/start/embedded-simulator.ts';
import { code, page } from '../../documents/pages.ts';
import type { Ended } from '../../support/parts/command.ts';
import { check } from '../../support/promise.ts';
import { StateFolder, tableRow } from './start-process.ts';

let folder: StateFolder;
let local: string;
let first: Ended;
let changed: Ended;

beforeAll(async () => {
  folder = await StateFolder.make("it's a folder ");
  local = join(folder.path, 'local');
  first = await folder.run([]);
  changed = await folder.run(['--change', '50']);
});
afterAll(() => folder[Symbol.asyncDispose]());

const README = page('README.md');
const [SHOWN_TABLE = '', SHOWN_ANSWER = ''] = code(README, 'text');

describe('npm start on the embedded API simulator', () => {
  test('the first run prints the table that the README shows', () => {
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toContain(`\n${SHOWN_TABLE}`);
  });

  test('a run after changes withdraws the threats of a removed asset, and does not send unchanged rows', () => {
    const { read, duplicates, forwarded } = tableRow(changed, 'all') as Record<string, number>;
    expect(changed.status).toBe(0);
    expect(tableRow(changed, 'assets')['tombstones']).toBeGreaterThan(0);
    expect(tableRow(changed, 'threats')['withdrawn']).toBeGreaterThan(0);
    expect(read).toBe(duplicates! + forwarded!);
    expect(duplicates).toBeGreaterThan(0);
  });

  test('delivered files have the same keys as in S3, and only the current user can read them', async () => {
    const entries = await readdir(folder.deliveredFolder('local'), { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(file).toMatch(/\/events\/\d{4}\/\d\d\/\d\d\/\d\d\/[^/]+\.json\.gz$/);
    expect(await openToOthers(local)).toEqual([]);
  });

  test('a run shows its progress on the terminal and writes the log of the function to the folder', async () => {
    expect(first.stdout).toMatch(/assets: \d+ pages? \|/);
    expect(first.stdout).not.toContain('{"');
    expect(first.stdout).toContain(join(local, 'function.log'));
    expect(await readFile(join(local, 'function.log'), 'utf8')).toContain('"stream":"threats"');
  });

  test('the suggested command for a look at an event works with a quote in the folder name', () => {
    const [command = ''] = suggestedBy(first);
    const look = spawnSync('bash', ['-c', command], { encoding: 'utf8' });
    expect(look).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(look.stdout)).toMatchObject({ connector: 'local' });
  });
});

test('npm run query returns the answer that the README shows', async () => {
  const [, sql = ''] = /npm run query -- "([^"]+)"/.exec(README)!;
  using database = await EventDatabase.open(local);
  const rows = await (await database.query(sql)).getRows();
  const shown = SHOWN_ANSWER.trimEnd().split('\n').slice(2);
  expect(rows.map(row => row.map(String))).toEqual(shown.map(line => line.split(/ +/)));
});

describe('with a damaged table', () => {
  let damaged: Ended;
  let reset: Ended;

  beforeAll(async () => {
    await writeFile(join(local, 'dynamodb', 'table.jsonl'), 'damaged\n');
    damaged = await folder.run([]);
    await chmod(local, 0o755);
    const filter = ['--filter', "threats=severity != 'low'"];
    reset = await folder.run(['--reset', '--assets', '10', '--threats', '0', '--dns-blocks', '5', ...filter]);
  });

  test('a run on a damaged table fails with a message about the folder and --reset', () => {
    expect(damaged.status).toBe(1);
    expect(damaged.stderr).toContain(`The state in ${local} cannot be read or written`);
    expect(damaged.stderr).toContain('--reset');
    expect(damaged.stderr).not.toMatch(/^\s+at /m);
  });

  test('a reset starts again with the given rows, in a folder that only the current user can read', async () => {
    const { tenantData } = JSON.parse(await readFile(join(local, 'source.json'), 'utf8'));
    const truth = rebuildSimulator(tenantData, Date.now).truth();
    expect(reset.status).toBe(0);
    expect(tableRow(reset, 'all')).toMatchObject({ read: 15, forwarded: 15 });
    expect(check({ lines: await folder.delivered('local'), truth })).toEqual({ breaches: [], repeats: 0 });
    expect(await openToOthers(local)).toEqual([]);
  });

  test('the commands that a run suggests repeat its options and quote them for the shell', () => {
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    const [, query, again = ''] = suggestedBy(reset);
    expect(query).toBe(`npm run query -- --folder ${quoted(local)}`);
    expect(again).toContain(`--state-folder ${quoted(folder.path)} --assets 10`);
    expect(again).toContain(` --filter ${quoted("threats=severity != 'low'")}`);
    expect(again).not.toContain('--reset');
  });
});

test.each([
  ['a delivered file', ['--assets', '2000'], 100],
  ['the log of the function', ['--assets', '30'], 200],
])('a run on a full disk ends with the reason and a remedy when %s fails first', async (failing, args, kibibytes) => {
  await using folder = await StateFolder.make();
  const log = failing === 'the log of the function' ? '\n'.repeat(kibibytes * 1024) : '';
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

/** Files and folders that other users may read, write or enter, including the folder itself. */
async function openToOthers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const modes = ['.', ...entries].map(async name => [name, (await stat(join(folder, name))).mode & 0o077] as const);
  return (await Promise.all(modes)).flatMap(([name, mode]) => (mode === 0 ? [] : [name]));
}

function suggestedBy({ stdout }: Ended): string[] {
  return stdout.split('Try next\n')[1]!.match(/(?<=^ {2})\S.*/gm)!;
}
