import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Deployment, deployment, FUNCTION } from './support/deployment.ts';
import { FAR, putLease } from './support/lease.ts';

const AT = ['--function', FUNCTION];

async function populated(): Promise<Deployment> {
  const each = await deployment();
  each.connector.platform.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
  return each;
}

/** The cells of the table's line about a stream. */
function cells(output: string, stream: string): string[] {
  return output
    .split('\n')
    .find(line => line.startsWith(`${stream} `))!
    .split(/\s{2,}/);
}

test('drain runs the function and prints what became of each stream; resync sends only what differs, replay everything', async () => {
  await using each = await populated();
  const drained = await each.ctl(['drain', ...AT]);
  expect(drained).toMatchObject({ status: 0, stderr: '' });
  expect(cells(drained.stdout, 'stream').slice(0, 5)).toEqual(['stream', 'pages', 'read', 'forwarded', 'suppressed']);
  expect(cells(drained.stdout, 'threats').slice(1, 5)).toEqual(['1', '20', '20', '0']);
  const part = await each.ctl(['drain', '--stream', 'threats', 'assets', ...AT]);
  expect(part.stdout).not.toContain('dns-blocks');
  const again = await each.ctl(['resync', 'assets', 'threats', ...AT]);
  expect(cells(again.stdout, 'assets').slice(2, 5)).toEqual(['30', '0', '30']);
  const replayed = await each.ctl(['replay', 'assets', '--yes', ...AT]);
  expect(cells(replayed.stdout, 'assets').slice(2, 5)).toEqual(['30', '30', '0']);
  expect(each.stack.invocations).toEqual([
    {},
    { streams: ['threats', 'assets'] },
    { resync: ['assets', 'threats'] },
    { replay: ['assets'] },
  ]);
});

describe('exit 1 and the reason', () => {
  test('when the function fails, in the words of its error', async () => {
    await using each = await populated();
    each.connector.platform.account.roles.delete('threats:read');
    const { status, stdout, stderr } = await each.ctl(['drain', ...AT]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^The function failed\.\nStreamsFailedError: 1 of 3 streams failed\.\n {2}threats: RoleMissing/,
    );
  });

  test('when there is no such function', async () => {
    await using each = await populated();
    const { status, stderr } = await each.ctl(['resync', 'assets', '--function', 'nobody']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('ResourceNotFoundException: Function not found')]);
    expect(stderr).toContain('Check --function');
  });

  test('when another run holds the lease for as long as --wait allows; nothing is done', async () => {
    await using each = await populated();
    await putLease(each.connector, { expires: FAR, ended: 'no' });
    for (const order of [['drain'], ['resync', 'assets']]) {
      const { status, stderr } = await each.ctl([...order, '--wait', '0', ...AT]);
      expect([status, stderr]).toEqual([1, expect.stringContaining('still holds the lease after 0 s')]);
    }
    expect(await each.connector.lines()).toEqual([]);
  });
});

describe('exit 2 and nothing asked of Lambda', () => {
  let each: Deployment;
  beforeAll(async () => {
    each = await deployment();
  });
  afterAll(async () => {
    await each[Symbol.asyncDispose]();
  });

  test.each([
    [['replay', 'assets', ...AT], 'A replay reads assets from the beginning and sends every row to the SIEM again'],
    [['replay', 'assets', ...AT], 'say --yes'],
    [['resync', 'users', ...AT], 'Allowed choices are assets, threats, dns-blocks'],
    [['resync', ...AT], "missing required argument 'stream'"],
    [['drain', '--stream', 'users', ...AT], 'Allowed choices'],
    [['drain'], "required option '--function <name>' not specified"],
    [['drain', '--wait', 'long', ...AT], 'whole number of seconds'],
    [['status'], 'Say --function, or --table'],
    [['fill-secret', '--secret', 'x'], 'Set CLIENT_ID and CLIENT_SECRET'],
    [['fill-secret', '--client-secret', 'canary', ...AT], "unknown option '--client-secret'"],
    [['purge'], "unknown command 'purge'"],
  ])('%p: %s', async (args, reason) => {
    const { status, stdout, stderr } = await each.ctl(args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
    expect([each.connector.calls, stderr.includes('canary')]).toEqual([[], false]);
  });
});

test('--help names every command, with examples', async () => {
  await using each = await deployment();
  const { status, stdout } = await each.ctl(['--help']);
  expect(status).toBe(0);
  for (const name of ['status', 'drain', 'resync', 'replay', 'fill-secret', 'Examples:', 'Exit status:']) {
    expect(stdout).toContain(name);
  }
});
