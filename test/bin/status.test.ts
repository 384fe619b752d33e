import { expect, test } from '@jest/globals';
import { checkpointKey, withdrawalsPartition } from '../../lambda/adapters/keys.ts';
import { pass } from '../lambda/support/aws-scene.ts';
import { deployment, FUNCTION } from './support/deployment.ts';
import { FAR, putLease } from './support/lease.ts';

const STATUS = ['status', '--function', FUNCTION];

/** The columns of the table's line about a stream. */
function columns(output: string, stream: string): string[] {
  return output
    .split('\n')
    .find(line => line.startsWith(`${stream} `))!
    .trim()
    .split(/\s{2,}/);
}

test('of a connector that has never run: nothing saved, the lease never taken', async () => {
  await using each = await deployment();
  const { status, stdout } = await each.ctl(STATUS);
  expect(status).toBe(0);
  expect(columns(stdout, 'stream')).toEqual([
    'stream',
    'cursor',
    'settled sequence',
    'window',
    'generation',
    'resync',
    'in doubt',
  ]);
  expect(columns(stdout, 'assets')).toEqual(['assets', 'none yet', 'none', '0', '0', 'no', '0']);
  expect(stdout).toContain('Lease: never taken');
  const actions = ['GetFunctionConfiguration', 'BatchGetItem', 'BatchGetItem', 'Query'];
  expect(each.connector.calls.map(call => call.action)).toEqual(actions);
});

test('of one that has: what is saved of each stream, but no cursor, and how the last run ended', async () => {
  await using each = await deployment({ endOfStream: 'empty-page-null' });
  each.connector.platform.populate({ assets: 30, threats: 20, dnsBlocks: 10 });
  await each.connector.run();
  await each.connector.run({ replay: ['threats'] });
  const { stdout } = await each.ctl(STATUS);
  expect(columns(stdout, 'assets')).toEqual([
    'assets',
    'saved',
    expect.stringMatching(/^0000000001\d{10}$/),
    '30',
    '0',
    'no',
    '0',
  ]);
  expect(columns(stdout, 'threats')).toEqual(['threats', 'saved', '00000000020000000020', '20', '2', 'no', '0']);
  expect(stdout).toContain('Lease: free, epoch 2; the last run ended cleanly');
  const items = await each.connector.table.get([checkpointKey('assets')]);
  expect(stdout).not.toContain(items[0]!['cursor']!.S);
});

test.each([
  [{ expires: FAR, ended: 'no' } as const, /^Lease: held, epoch 7, expires 2099-01-01T00:00:00\.000Z \(in \d+ s/m],
  [{ expires: 0, ended: 'no' } as const, /^Lease: free, epoch 7; its run was killed, and the lease expired 1970-/m],
  [{ expires: FAR, ended: 'in doubt' } as const, /^Lease: free, epoch 7; the last run ended in doubt$/m],
])('tells a lease of %p', async (lease, text) => {
  await using each = await deployment();
  await putLease(each.connector, lease);
  expect((await each.ctl(['status', '--table', each.connector.aws.names.stateTable])).stdout).toMatch(text);
  expect(each.connector.calls.filter(({ service }) => service === 'lambda')).toEqual([]);
});

test('counts the ids in doubt after a run that failed amid its work, and the withdrawals that are listed', async () => {
  await using each = await deployment();
  each.connector.platform.populate({ assets: 30, threats: 0, dnsBlocks: 0 });
  each.connector.aws.faults.always('firehose', {
    refuse: { status: 400, code: 'AccessDeniedException', message: 'No' },
  });
  await expect(each.connector.run()).rejects.toThrow('streams failed');
  const listed = ['=a', '=b'].map(sk => ({ pk: { S: withdrawalsPartition('assets') }, sk: { S: sk } }));
  await each.connector.table.put(listed, pass);
  const { stdout } = await each.ctl(STATUS);
  expect(columns(stdout, 'assets').at(-1)).toBe('30');
  expect(stdout).toContain('Removed assets whose threats are still to be withdrawn: 2');
  expect(stdout).toContain('the last run ended in doubt');
});

test('exits with 1 at a damaged checkpoint, with the order that mends it, and still tells the rest', async () => {
  await using each = await deployment();
  await each.connector.table.put([{ ...checkpointKey('threats'), cursor: { S: 'x' } }], pass);
  const { status, stdout } = await each.ctl(STATUS);
  expect([status, columns(stdout, 'threats')]).toEqual([1, ['threats', 'damaged']]);
  expect(stdout).toContain('{"resync":["threats"]}');
  expect(columns(stdout, 'assets')[1]).toBe('none yet');
});

test('exits with 1 when the table is not there', async () => {
  await using each = await deployment();
  const { status, stderr } = await each.ctl(['status', '--table', 'nothing']);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining('The state table nothing could not be read: ResourceNotFound'),
  ]);
});
