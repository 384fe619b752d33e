import { describe, expect, test } from '@jest/globals';
import type { ServiceName } from '../../../local/aws/service.ts';
import { deployment, populated } from '../support/deployment.ts';
import { DENIED, GONE } from '../support/refusals.ts';
import { cells } from '../support/words.ts';

describe('run and resync', () => {
  test('run sends changes, resync sends rows that differ, and resync --send-all sends every row', async () => {
    await using each = await populated({ assets: 30, threats: 20, dnsBlocks: 10 });
    const first = await each.ctl(['run']);
    expect(first).toMatchObject({ status: 0, stderr: 'A run is in progress.\n' });
    expect(cells(first.stdout, 'threats').slice(1, 5)).toEqual(['1', '20', '20', '0']);
    const { document, stderr } = await each.json(['run', '--stream', 'threats', 'assets']);
    expect(document).toMatchObject({ more: false, runSeconds: expect.any(Number) });
    expect(Object.keys(document.streams)).toEqual(['assets', 'threats']);
    expect(stderr).toBe('');
    const again = await each.ctl(['resync', 'assets', 'threats', '--yes']);
    // Nothing is counted, because that would read the whole table.
    expect(each.asked().filter(({ action }) => action === 'Scan')).toEqual([]);
    // The walk reads the last page, and the second walk the whole list.
    expect(cells(again.stdout, 'assets').slice(2, 5)).toEqual(['60', '0', '60']);
    const replayed = await each.ctl(['resync', 'assets', '--send-all', '--yes']);
    expect(cells(replayed.stdout, 'assets').slice(2, 5)).toEqual(['60', '30', '30']);
    const since = ['--send-all', '--since', '2026-01-01T01:00:00+01:00', '--yes'];
    const sentSince = await each.ctl(['resync', 'assets', ...since]);
    expect(cells(sentSince.stdout, 'assets').slice(2, 5)).toEqual(['60', '30', '30']);
    expect(each.invocations).toEqual([
      {},
      { streams: ['threats', 'assets'] },
      { resync: ['assets', 'threats'] },
      { replay: ['assets'] },
      { replay: ['assets'], since: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  test('run exits with 1 and prints the function’s error as text or JSON', async () => {
    await using each = await populated();
    each.connector.simulator.account.roles.delete('threats:read');
    const words = 'The function failed.\nStreamsFailedError: 1 of 3 streams failed.\n  threats: RoleMissing';
    expect(await each.ctl(['run'])).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining(words) });
    const { document, stderr } = await each.json(['run']);
    expect(document).toBeUndefined();
    expect(JSON.parse(stderr)).toMatchObject({ error: 'FunctionFailedError', status: 1 });
  });

  test('run says after the time budget whether the next scheduled run continues', async () => {
    await using each = await deployment({}, { invoke: () => ({ streams: {}, more: true }) });
    expect((await each.ctl(['run'])).stdout).toContain('The next scheduled run continues.');
    await each.ctl(['pause']);
    expect((await each.ctl(['run'])).stdout).toContain('The schedule is off, so no run continues by itself.');
  });
});

test.each<[string, ServiceName, RegExp]>([
  [
    'state table',
    'dynamodb',
    /\nThe state table \S+ does not exist\. .* Do not deploy, .*list-backups .* --region us-east-1/,
  ],
  ['delivery stream', 'firehose', /\nThe delivery stream \S+ does not exist\. .*--revert-drift/],
])(
  'the command run names a missing %s and a remedy, but not when access is merely denied',
  async (_, service, advice) => {
    await using each = await populated();
    each.connector.aws.faults.always(service, GONE);
    expect(await each.ctl(['run'])).toMatchObject({ status: 1, stderr: expect.stringMatching(advice) });
    each.connector.aws.faults.always(service, ({ action }) => (action.startsWith('Describe') ? {} : DENIED));
    expect((await each.ctl(['run'])).stderr).not.toContain('does not exist');
  },
);

test.each([
  [['resync', 'assets', '--send-all'], 'reads assets from the beginning and sends every row to the SIEM again'],
  [['resync', 'assets'], 'Re-run with --yes'],
  [['resync', 'assets', '--since', '2026-11-24T08:00:00Z'], '--since needs --send-all'],
  [['status', '--all', '--connector', 'acme'], '--all takes neither --connector nor --stack'],
  [['set-credentials', '--client-secret', 'canary'], "unknown option '--client-secret'"],
])('the command %j is refused with exit status 2, without an invocation: %s', async (args, reason) => {
  await using each = await deployment();
  const printed = await each.ctl(args);
  expect(printed).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(reason) });
  expect(printed.stderr).not.toContain('canary');
  expect(each.invocations).toEqual([]);
});
