import { spawnSync } from 'node:child_process';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { latest } from '../../../local/aws/latest.ts';
import { rebuildPlatform } from '../../../local/start/embedded-platform.ts';
import { ROOT } from '../../docs/pages.ts';
import { viewsUnlikeTruth } from '../query/views-of-folder.ts';
import { addsUp, type Ended, StateFolder, tableRow } from './start-process.ts';

const RUN_TIME = 30_000;
const NOTHING_SENT = { forwarded: 0, tombstones: 0, withdrawn: 0, 'dead letters': 0 };

/** Files and folders that others than their owner may read, write or enter, the folder itself included. */
async function openToOthers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const modes = ['.', ...entries].map(async name => [name, (await stat(join(folder, name))).mode & 0o077] as const);
  return (await Promise.all(modes)).flatMap(([name, mode]) => (mode === 0 ? [] : [name]));
}

describe('npm start on the embedded platform', () => {
  let folder: StateFolder;
  let first: Ended;
  let second: Ended;
  let changed: Ended;
  let third: Ended;

  beforeAll(async () => {
    folder = await StateFolder.make();
    first = await folder.run([]);
    second = await folder.run([]);
    changed = await folder.run(['--change', '40']);
    third = await folder.run(['--change', '2']);
  }, RUN_TIME);
  afterAll(() => folder[Symbol.asyncDispose]());

  const events = () => folder.delivered('local');

  test('the first run delivers at least 5,000 rows over the three streams', () => {
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const { forwarded } = tableRow(first, 'all');
    expect(forwarded).toBeGreaterThanOrEqual(5000);
    for (const stream of ['assets', 'threats', 'dns-blocks']) {
      expect(tableRow(first, stream)['forwarded']).toBeGreaterThan(1000);
    }
  });

  test('what lies in the folder is for its owner alone', async () => {
    expect(await openToOthers(join(folder.path, 'local'))).toEqual([]);
  });

  test('the second run sends nothing, and has read something to know that', () => {
    expect(second.status).toBe(0);
    expect(tableRow(second, 'all')).toMatchObject(NOTHING_SENT);
    expect(tableRow(second, 'all')['suppressed']).toBeGreaterThan(0);
  });

  test('the table adds up for every stream: each row that was read is forwarded, suppressed, superseded, ignored or a dead letter', () => {
    const rows = [first, second, changed, third].flatMap(run =>
      ['assets', 'threats', 'dns-blocks', 'all'].map(stream => tableRow(run, stream)),
    );
    expect(rows.map(row => row['read']! >= 0 && addsUp(row))).toEqual(rows.map(() => true));
  });

  test('the table counts what lies in the files', async () => {
    const sent = [first, second, changed, third].map(run => tableRow(run, 'all'));
    const counted = sent.reduce((sum, row) => sum + row['forwarded']! + row['withdrawn']!, 0);
    expect((await events()).length).toBe(counted);
  });

  test('over all runs no event is sent twice', async () => {
    const all = await events();
    expect(new Set(all.map(event => event.event_id)).size).toBe(all.length);
    expect(new Set(all.map(event => event.sequence)).size).toBe(all.length);
  });

  test('changes bring a tombstone and withdraw the threats of the removed asset', async () => {
    expect(tableRow(changed, 'assets')['tombstones']).toBeGreaterThan(0);
    expect(tableRow(changed, 'threats')['withdrawn']).toBeGreaterThan(0);
    const all = await events();
    const withdrawn = all.find(event => event.kind === 'withdrawn')!;
    const tombstone = all.find(event => event.kind === 'tombstone' && event.id === withdrawn.asset_id)!;
    expect(tombstone.sequence < withdrawn.sequence).toBe(true);
  });

  test('the second of two changes restores what was removed before', async () => {
    expect(tableRow(third, 'assets')).toMatchObject({ forwarded: 2, tombstones: 1 });
  });

  test('the latest events are what the platform says, digit for digit', async () => {
    const { tenantData } = JSON.parse(await readFile(join(folder.path, 'local', 'source.json'), 'utf8'));
    const truth = rebuildPlatform(tenantData, Date.now).truth('none');
    const copy = await latest(await events());
    for (const stream of ['assets', 'threats', 'dns-blocks'] as const) {
      const live = [...truth[stream]].filter(
        ([id, row]) => copy.get(stream)!.has(id) || !row.includes('"deleted":true'),
      );
      const held = [...copy.get(stream)!].filter(([, event]) => event.kind !== 'withdrawn');
      const rows = held.map(([id, { row }]) => [id, row!.replace(/,"stream_position":"[^"]*"/, '')] as const);
      expect(new Map(rows)).toEqual(new Map(live));
    }
  });

  test('the views over the files are what the platform says, digit for digit', async () => {
    const { tenantData } = JSON.parse(await readFile(join(folder.path, 'local', 'source.json'), 'utf8'));
    const truth = Object.entries(rebuildPlatform(tenantData, Date.now).truth('none'));
    expect(await viewsUnlikeTruth(folder.path, truth)).toEqual([]);
  });

  test('progress is shown while it runs, and the log of the function stays out of it', () => {
    expect(first.stdout).toMatch(/assets {2}\d+ pages read, [\d,]+ events delivered/);
    expect(first.stdout).not.toContain('{"');
  });

  test('the log of the function lies in the state folder, metrics and all', async () => {
    const log = await readFile(join(folder.path, 'local', 'function.log'), 'utf8');
    expect(first.stdout).toContain(join(folder.path, 'local', 'function.log'));
    expect(log.split('\n').filter(line => line.includes('"stream":"threats"') && line.includes('_aws')).length).toBe(4);
  });

  test('files are laid out as in S3', async () => {
    const files = await readdir(folder.deliveredFolder('local'), { recursive: true });
    expect(files.filter(file => /^\d{4}\/\d\d\/\d\d\/\d\d\/[^/]+\.json\.gz$/.test(file)).length).toBeGreaterThan(0);
    expect(files.filter(file => file.includes('.') && !file.endsWith('.json.gz'))).toEqual([]);
  });

  test('the format of the folder is kept: another one is refused with the way out', async () => {
    const refused = await folder.run(['--format', 'ocsf']);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('"local" holds events in the format envelope, and this run would add ocsf.');
    expect(refused.stderr).toContain('Use --format envelope, choose another --name or --state-folder');
    expect(refused.stderr).toContain('--reset');
  });

  test('another seed for the same folder is refused, and nothing is started', async () => {
    const refused = await folder.run(['--seed', '9', '--assets', '3']);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('--seed was 1 when "local" began');
    expect(refused.stderr).toContain('--assets was 1500 when "local" began');
  });

  test('a reset begins anew, here with a smaller estate', async () => {
    const anew = await folder.run(['--reset', '--assets', '10', '--threats', '5', '--dns-blocks', '0']);
    expect(anew.status).toBe(0);
    expect(tableRow(anew, 'all')).toMatchObject({ read: 15, forwarded: 15 });
    expect((await events()).length).toBe(15);
  });

  test('after a reset too, what lies in the folder is for its owner alone, even where it was open to others before', async () => {
    await chmod(join(folder.path, 'local'), 0o755);
    await folder.run(['--reset', '--assets', '1', '--threats', '0', '--dns-blocks', '0']);
    expect(await openToOthers(join(folder.path, 'local'))).toEqual([]);
  });
});

describe('a state that cannot be used', () => {
  test('a damaged database ends in a sentence that names the folder and --reset, and a reset mends it', async () => {
    await using folder = await StateFolder.make();
    const few = ['--assets', '3', '--threats', '3', '--dns-blocks', '3'];
    await folder.run(few);
    await writeFile(join(folder.path, 'local', 'dynamodb', 'CURRENT'), 'damaged');
    const damaged = await folder.run([]);
    expect(damaged.status).toBe(1);
    expect(damaged.stderr).toContain(`The state in ${join(folder.path, 'local')} cannot be read or written`);
    expect(damaged.stderr).toContain('--reset');
    expect(damaged.stderr).not.toMatch(/^\s+at /m);
    expect((await folder.run(['--reset', ...few])).status).toBe(0);
  }, 60_000);

  test('a full disk ends in a sentence, not in a stack', async () => {
    await using folder = await StateFolder.make();
    // A bound on the size of files, in steps of 1 KiB, is as near to a full disk as a test comes.
    const full = await folder.run(['--dns-blocks', '0'], { shell: 'ulimit -f 20' });
    expect(full.status).toBe(1);
    expect(full.stderr).toContain('If the disk is full, free some space and run again');
    expect(full.stderr).toContain('--reset');
    expect(full.stderr).not.toMatch(/^\s+at /m);
  }, 60_000);
});

describe('what is printed after a run', () => {
  test('the commands can be typed as they are: options repeated, paths with spaces quoted, no word of a broken pipe', async () => {
    await using parent = await StateFolder.make();
    const path = join(parent.path, "it's a folder");
    const { stdout } = await parent.run([
      ...['--state-folder', path, '--name', 'try', '--format', 'ocsf'],
      ...['--assets', '300', '--threats', '300', '--dns-blocks', '0'],
    ]);
    const commands = stdout
      .split('Try next\n')[1]!
      .split('\n')
      .filter(line => /^ {2}\S/.test(line));
    const look = spawnSync('bash', ['-c', commands[0]!], { encoding: 'utf8' });
    expect([look.status, look.stderr]).toEqual([0, '']);
    expect(JSON.parse(look.stdout)).toMatchObject({ metadata: { tenant_uid: 'try' } });
    const again = commands.find(command => command.includes('npm start') && !command.includes('--change'))!;
    expect(again.trim()).toBe(
      `npm start -- --name try --state-folder '${path.replaceAll("'", "'\\''")}' --format ocsf`,
    );
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, NODE_OPTIONS: '' };
    const typed = spawnSync('bash', ['-c', again], { encoding: 'utf8', env });
    expect([typed.status, typed.stderr.replace(/^npm warn .*\n/gm, '')]).toEqual([0, '']);
  }, 60_000);
});

describe('the command line of npm start', () => {
  test('options before which "--" was forgotten are refused, with the line to type', async () => {
    await using folder = await StateFolder.make();
    const typed = (...words: string[]) => {
      const env = { ...process.env, NODE_OPTIONS: '', PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
      return spawnSync('npm', ['start', '--silent', ...words], { encoding: 'utf8', env, cwd: ROOT });
    };
    const { status, stdout, stderr } = typed('--change', '50');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('type "--" before the options, as in "npm start -- --change <n>"');
    // npm hands on no argument at all: the run would go on as if nothing had been typed.
    expect(typed('--reset').stderr).toContain('as in "npm start -- --reset"');
    expect(await readdir(folder.path)).toEqual([]);
  });

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

  test('every fault is told at once with status 2, nothing is started, and no value is repeated', async () => {
    await using folder = await StateFolder.make();
    const wrong = ['--auth-url', 'http://login.example', '--page-limit', '501', '--change', '3', '--nonsense'];
    const { status, stdout, stderr } = await folder.run([...wrong, '--client-secret', 'hunter2', '--base-url']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    for (const fault of [
      '--auth-url must be an https URL',
      '--page-limit must be a whole number from 1 to 500',
      '--change is about the embedded platform',
      '--nonsense is not an option',
      'the client secret is never an argument',
      'the client secret is missing: set CLIENT_SECRET',
      '--base-url has no value',
      '--client-id is missing',
    ]) {
      expect(stderr).toContain(fault);
    }
    expect(stderr).not.toContain('hunter2');
    expect(await readdir(folder.path)).toEqual([]);
  });
});
