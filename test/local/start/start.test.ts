import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { STREAMS } from '../../../lambda/streams.ts';
import { rebuildSimulator } from '../../../local/start/embedded-simulator.ts';
import { addsUp, type Ended, StateFolder, tableRow } from './start-process.ts';

const NOTHING_SENT = { forwarded: 0, tombstones: 0, withdrawn: 0, 'dead letters': 0 };

/** Files and folders that other users may read, write or enter, including the folder itself. */
async function openToOthers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const modes = ['.', ...entries].map(async name => [name, (await stat(join(folder, name))).mode & 0o077] as const);
  return (await Promise.all(modes)).flatMap(([name, mode]) => (mode === 0 ? [] : [name]));
}

describe('npm start on the embedded API simulator', () => {
  let folder: StateFolder;
  let first: Ended;
  let second: Ended;
  let changed: Ended;
  let third: Ended;

  beforeAll(async () => {
    folder = await StateFolder.make();
    first = await folder.run(['--assets', '150', '--threats', '250', '--dns-blocks', '400']);
    second = await folder.run([]);
    changed = await folder.run(['--change', '40']);
    third = await folder.run(['--change', '2']);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const events = () => folder.delivered('local');

  test('the first run delivers every row but tombstones of assets that were never sent', () => {
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(tableRow(first, 'assets')).toMatchObject({ read: 150, forwarded: 147, unknown: 3 });
    expect(tableRow(first, 'threats')).toMatchObject({ read: 250, forwarded: 250 });
    expect(tableRow(first, 'dns-blocks')).toMatchObject({ read: 400, forwarded: 400 });
  });

  test('only the current user can read the folder', async () => {
    expect(await openToOthers(join(folder.path, 'local'))).toEqual([]);
  });

  test('the second run reads rows and sends nothing', () => {
    expect(second.status).toBe(0);
    expect(tableRow(second, 'all')).toMatchObject(NOTHING_SENT);
    expect(tableRow(second, 'all')['duplicates']).toBeGreaterThan(0);
  });

  test('the table adds up for every stream: each row that was read is forwarded, a duplicate, superseded, unknown or a dead letter', () => {
    const rows = [first, second, changed, third].flatMap(run =>
      ['assets', 'threats', 'dns-blocks', 'all'].map(stream => tableRow(run, stream)),
    );
    expect(rows.map(row => row['read']! >= 0 && addsUp(row))).toEqual(rows.map(() => true));
  });

  test('the table counts the events in the files', async () => {
    const sent = [first, second, changed, third].map(run => tableRow(run, 'all'));
    const counted = sent.reduce((sum, row) => sum + row['forwarded']! + row['withdrawn']!, 0);
    expect((await events()).length).toBe(counted);
  });

  test('over all runs no event is sent twice', async () => {
    const all = await events();
    expect(new Set(all.map(event => event.event_id)).size).toBe(all.length);
    expect(new Set(all.map(event => event.sequence)).size).toBe(all.length);
  });

  test('changes send a tombstone and withdraw the threats of the removed asset', async () => {
    expect(tableRow(changed, 'assets')['tombstones']).toBeGreaterThan(0);
    expect(tableRow(changed, 'threats')['withdrawn']).toBeGreaterThan(0);
    const all = await events();
    const withdrawn = all.find(event => event.kind === 'withdrawn')!;
    const tombstone = all.find(event => event.kind === 'tombstone' && event.id === withdrawn.asset_id)!;
    expect(tombstone.sequence < withdrawn.sequence).toBe(true);
  });

  test('the second of two changes restores the asset that was removed before', async () => {
    expect(tableRow(third, 'assets')).toMatchObject({ forwarded: 2, tombstones: 1 });
  });

  test('the latest events equal the truth of the API simulator, digit for digit', async () => {
    const { tenantData } = JSON.parse(await readFile(join(folder.path, 'local', 'source.json'), 'utf8'));
    const truth = rebuildSimulator(tenantData, Date.now).truth('none');
    const all = await events();
    for (const stream of ['assets', 'threats', 'dns-blocks'] as const) {
      const copy = new Map(all.filter(event => event.stream === stream).map(event => [event.id, event]));
      const live = [...truth[stream]].filter(([id, row]) => copy.has(id) || !row.includes('"deleted":true'));
      const held = [...copy].filter(([, event]) => event.kind !== 'withdrawn');
      const rows = held.map(([id, { row }]) => [id, row!.replace(/,"stream_position":"[^"]*"/, '')] as const);
      expect(new Map(rows)).toEqual(new Map(live));
    }
  });

  test('progress is shown during the run, without the log of the function', () => {
    expect(first.stdout).toMatch(/assets: \d+ pages? \|/);
    expect(first.stdout).not.toContain('{"');
  });

  test('the log of the function is in the state folder, with its metrics', async () => {
    const log = await readFile(join(folder.path, 'local', 'function.log'), 'utf8');
    expect(first.stdout).toContain(join(folder.path, 'local', 'function.log'));
    expect(log.split('\n').filter(line => line.includes('"stream":"threats"') && line.includes('_aws')).length).toBe(4);
  });

  test('files are laid out as in S3', async () => {
    const files = await readdir(folder.deliveredFolder('local'), { recursive: true });
    expect(files.filter(file => /^\d{4}\/\d\d\/\d\d\/\d\d\/[^/]+\.json\.gz$/.test(file)).length).toBeGreaterThan(0);
    expect(files.filter(file => file.includes('.') && !file.endsWith('.json.gz'))).toEqual([]);
  });

  describe('with a damaged table', () => {
    let damaged: Ended;
    let reset: Ended;

    beforeAll(async () => {
      await writeFile(join(folder.path, 'local', 'dynamodb', 'table.jsonl'), 'damaged\n');
      damaged = await folder.run([]);
      await chmod(join(folder.path, 'local'), 0o755);
      reset = await folder.run([
        '--reset',
        ...STREAMS.flatMap(({ name }) => [`--${name}`, { assets: '10', threats: '5' }[name as string] ?? '0']),
      ]);
    });

    test('a run fails with a message that names the folder and --reset', () => {
      expect(damaged.status).toBe(1);
      expect(damaged.stderr).toContain(`The state in ${join(folder.path, 'local')} cannot be read or written`);
      expect(damaged.stderr).toContain('--reset');
      expect(damaged.stderr).not.toMatch(/^\s+at /m);
    });

    test('a reset starts again with the given rows', async () => {
      expect(reset.status).toBe(0);
      expect(tableRow(reset, 'all')).toMatchObject({ read: 15, forwarded: 15 });
      expect((await events()).length).toBe(15);
    });

    test('after a reset only the current user can read the folder, even if others could before', async () => {
      expect(await openToOthers(join(folder.path, 'local'))).toEqual([]);
    });
  });
});

test('a state folder in a file is refused with its path, the reason and what to do, and nothing is started', async () => {
  await using own = await StateFolder.make();
  const path = join(own.path, 'file');
  await writeFile(path, '');
  const { status, stdout, stderr } = await own.run(['--state-folder', path, '--name', 'try']);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    new RegExp(
      `^Nothing was started: ${path}[^ ]* cannot be (read|written) \\(ENOTDIR\\): choose another --state-folder\n`,
    ),
  );
});

test.each([
  ['the table', ['--assets', '300', '--page-limit', '10'], 20],
  ['a delivered file', ['--assets', '2000'], 100],
  ['the log of the function', ['--assets', '30'], 200],
])('a full disk ends the run with its reason and a remedy when %s meets it first', async (first, args, kibibytes) => {
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

test('a path that cannot be written ends the run with its name and a remedy', async () => {
  await using folder = await StateFolder.make();
  const path = folder.deliveredFolder('local');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'a file in place of the folder');
  const { status, stderr } = await folder.run(['--assets', '30', '--threats', '0', '--dns-blocks', '0']);
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^Failed: The state in .* cannot be read or written \\(ENOTDIR: .*${path}`));
  expect(stderr).toContain('Repair the path that the message names');
});

describe('after a run', () => {
  test('the printed commands work, with the same options, quoted paths, and no message about a broken pipe', async () => {
    await using parent = await StateFolder.make();
    const path = join(parent.path, "it's a folder");
    const { stdout } = await parent.run([
      ...['--state-folder', path, '--name', 'try', '--page-limit', '7'],
      ...['--assets', '30', '--threats', '30', '--dns-blocks', '0'],
    ]);
    const commands = stdout
      .split('Try next\n')[1]!
      .split('\n')
      .filter(line => /^ {2}\S/.test(line));
    expect(commands[1]!.trim()).toBe(`npm run query -- --folder '${join(path, 'try').replaceAll("'", "'\\''")}'`);
    const look = spawnSync('bash', ['-c', commands[0]!], { encoding: 'utf8' });
    expect([look.status, look.stderr]).toEqual([0, '']);
    expect(JSON.parse(look.stdout)).toMatchObject({ connector: 'try' });
    const again = commands.find(command => command.includes('npm start') && !command.includes('--help'))!;
    const quoted = `'${path.replaceAll("'", "'\\''")}'`;
    expect(again).toContain(` --state-folder ${quoted} --name try --page-limit 7 --assets 30`);
  });
});

describe('the command line of npm start', () => {
  test('--help explains every option, gives examples and ends with 0', async () => {
    await using folder = await StateFolder.make();
    const { status, stdout } = await folder.run(['--help']);
    expect(status).toBe(0);
    for (const option of ['--reset', '--change', '--base-url', '--client-id', '--threat-asset-field', '--name']) {
      expect(stdout).toContain(option);
    }
    expect(stdout).toContain('Examples:');
    expect(stdout).toContain('CLIENT_SECRET');
    expect(stdout).toContain('Exit status:');
  });

  test('every wrong value is reported at once with status 2, nothing is started, and no secret is repeated', async () => {
    await using folder = await StateFolder.make();
    const wrong = ['--auth-url', 'http://login.example', '--page-limit', '501', '--change', '3'];
    const { status, stdout, stderr } = await folder.run([...wrong, '--client-secret', 'hunter2']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    for (const problem of [
      '--auth-url must begin with https://',
      '--page-limit must be a whole number from 1 to 500',
      '--change is about the embedded API simulator',
      'the client secret cannot be an argument',
      'the client secret is missing: set CLIENT_SECRET',
      '--base-url is missing',
      '--client-id is missing',
    ]) {
      expect(stderr).toContain(problem);
    }
    expect(stderr).not.toContain('hunter2');
    expect(await readdir(folder.path)).toEqual([]);
  });
});
