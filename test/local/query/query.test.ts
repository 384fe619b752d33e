import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runQuery } from '../../../local/query/command.ts';
import { run as runProcess } from '../../support/parts/command.ts';
import { deliveredFolder } from './files.ts';
import { envelope } from './support/event-lines.ts';

/** Runs the command in this process. */
async function run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const printed: string[] = [];
  const complaints: string[] = [];
  const output = {
    print: (text: string) => printed.push(`${text}\n`),
    complain: (text: string) => complaints.push(`${text}\n`),
  };
  const status = await runQuery(args, {}, output);
  return { status, stdout: printed.join(''), stderr: complaints.join('') };
}

const ROW = '{"id":"a","n":9007199254740993,"x":1.0}';
const LONG = `"${'x'.repeat(200)}"`;
let folder: Awaited<ReturnType<typeof deliveredFolder>>;

beforeAll(async () => {
  folder = await deliveredFolder();
  const traffic = [
    envelope({ sequence: 1, row: ROW, time: '2026-11-20T09:14:03Z' }),
    envelope({ sequence: 2, id: 'esc\u001b[31m', row: LONG }),
    envelope({ sequence: 3, stream: 'threats', id: 't', row: '1' }),
    envelope({ sequence: 4, stream: 'threats', id: 't', kind: 'withdrawn' }),
  ];
  await folder.file('events/2026/11/20/09/a.json.gz', ...traffic, 'not an event');
});
afterAll(async () => folder[Symbol.asyncDispose]());

const ask = (...args: string[]) => run('--folder', folder.path, ...args);

test('npm run query without SQL prints a summary and example queries', async () => {
  const { status, stdout, stderr } = await ask();
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('1 file of events.');
  expect(stdout).toMatch(/^acme +threats +withdrawn +1 +1 +2026-11-20T09:15:00.412Z$/m);
  expect(stdout).toMatch(/^current_assets +2 +connector, id, updated_at, /m);
  expect(stdout).toMatch(/^current_threats +0 /m);
  expect(stdout).toContain('1 line is not an event');
  expect(stdout).toContain('Try next');
});

test('a printed table has aligned columns, with long cells cut off and control characters escaped', async () => {
  const { status, stdout } = await ask('select id, row from current_assets order by sequence');
  expect(status).toBe(0);
  const lines = [
    ['id', 'row'],
    ['-'.repeat(13), '-'.repeat(80)],
    ['a', ROW],
    ['esc\\u001b[31m', `${LONG.slice(0, 79)}…`],
  ].map(([id, row]) => `${id!.padEnd(13)}  ${row}`);
  const notes = ['2 rows', 'Cells that end in … are longer; --json gives them whole.', ''];
  expect(stdout.split('\n')).toEqual([...lines, ...notes]);
});

test('the option --json prints each row as an object on its own line, to the last digit', async () => {
  const sql = `select row, updated_at, 9007199254740993 as big, 9007199254740994 as even, 7::bigint as small, 0.10 as exact, null as nothing, timestamptz '2026-06-01 02:00:00+02' as zoned, 1 as "2", 2 as "1"
    from current_assets where id = 'a'`;
  // A time zone whose times cannot be mistaken for UTC.
  const environment = { ...process.env, NODE_OPTIONS: '', TZ: 'Asia/Kolkata' };
  const args = ['local/query.ts', '--folder', folder.path, '--json', sql];
  const ended = await runProcess(process.execPath, args, 60, { environment });
  expect(ended.stderr).toBe('');
  expect(ended.stdout).toBe(
    `{"row":${JSON.stringify(ROW)},"updated_at":"2026-11-20T09:14:03Z","big":"9007199254740993","even":"9007199254740994","small":7,"exact":"0.10","nothing":null,"zoned":"2026-06-01T00:00:00Z","2":1,"1":2}\n`,
  );
});

test('SQL that begins with a comment is not treated as an option', async () => {
  expect(await ask('--of\nselect 7 as n', '--json')).toMatchObject({ status: 0, stdout: '{"n":7}\n' });
});

test('a result that lacks the events of a damaged file names the file, with exit status 1', async () => {
  await using damaged = await deliveredFolder();
  await damaged.file('events/2026/11/20/09/a.json.gz', envelope({ sequence: 1, row: ROW }));
  await damaged.bytes('events/2026/11/20/09/b.json.gz', gzipSync(`${'x'.repeat(1_000)}\n`).subarray(0, 20));
  const { status, stdout, stderr } = await run('--folder', damaged.path, '--json', 'select id from current_assets');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '{"id":"a"}\n' });
  expect(stderr).toMatch(/b\.json\.gz is cut short\. The file was skipped, so the answer lacks its events\./);
});

const HOSTILE = 'esc\u001b[31m\u009b\u007f\u202e';

test('control sequences in a value, SQL, option, folder or file name do not reach the terminal', async () => {
  await using hostile = await deliveredFolder();
  await hostile.file(`${HOSTILE}/a.json.gz`, envelope({ sequence: 1, id: HOSTILE, row: JSON.stringify(HOSTILE) }));
  await hostile.bytes(`${HOSTILE}/bad.json.gz`, Buffer.from('no gzip'));
  const asked = [
    [`select *, 1 as "${HOSTILE}" from events`],
    [`select "${HOSTILE}" from events`],
    ['--folder', `${hostile.path}/${HOSTILE}/none`],
  ];
  for (const { stdout, stderr } of await Promise.all(asked.map(args => run('--folder', hostile.path, ...args)))) {
    expect(stdout + stderr).toContain('esc\\u001b[31m\\u009b\\u007f\\u202e');
    expect(stdout + stderr).not.toMatch(/[[\p{Cc}\p{Cf}]--\n]/v);
  }
});

test('an error of SQL while rows are read is named by its kind, without quoting a row', async () => {
  await using secret = await deliveredFolder();
  await secret.file('a.json.gz', envelope({ sequence: 1, id: 'secret', row: '{"id":"secret"}' }));
  const { status, stdout, stderr } = await run('--folder', secret.path, '--json', 'select error(row) from events');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^[A-Z][A-Za-z ]* Error: the SQL failed\. /);
  expect(stderr).not.toContain('secret');
});

describe('the exit status of npm run query', () => {
  test.each([
    ['1 when the SQL is wrong', ['selct 1'], 1, /LINE 1: selct 1\n {8}\^/],
    ['2 with --json and without SQL', ['--json'], 2, /--json needs SQL/],
  ])('the exit status of npm run query is %s', async (_, args, status, message) => {
    expect(await ask(...args)).toEqual({ status, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('the exit status of npm run query is 2 when the folder is missing or empty', async () => {
    await using empty = await deliveredFolder();
    const missing = `${empty.path}/missing`;
    const noFolder = expect.stringContaining(`There is no folder ${missing}. Run npm start`);
    expect(await run('--folder', missing)).toMatchObject({ status: 2, stderr: noFolder });
    const noFiles = expect.stringContaining(`no .gz files of events below ${empty.path}`);
    expect(await run('--folder', empty.path)).toMatchObject({ status: 2, stderr: noFiles });
    expect(await readdir(empty.path)).toEqual([]);
  });

  test('the exit status of npm run query is 0 with --help', async () => {
    expect(await run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Examples:') });
  });
});

test('the option --json prints both of two columns with the same name', async () => {
  const { stdout } = await ask('--json', 'select 1 as a, 2 as a');
  expect(Object.values(JSON.parse(stdout))).toEqual([1, 2]);
});
