import { describe, expect, test } from '@jest/globals';
import { type Check, fail, ok, skipped, warn } from '../../../bin/ctl/doctor/check.ts';
import { addressesFinding } from '../../../bin/ctl/doctor/checks/addresses.ts';
import { clockFinding } from '../../../bin/ctl/doctor/checks/clock.ts';
import { runChecks } from '../../../bin/ctl/doctor/examine.ts';
import { permits } from '../../../bin/ctl/policy/permits.ts';
import { httpHarness, json } from '../../lambda/support/http-harness.ts';

const { signal } = new AbortController();

describe('examine', () => {
  const check = (name: string, look: Check<undefined>['look'], needs: string[] = []) => ({ name, look, needs });

  test('leaves out what needs a check that failed or was left out, and goes on with the rest', async () => {
    const told: string[] = [];
    const checks = [
      check('a', async () => ok('fine')),
      check('b', async () => fail('broken', 'mend it')),
      check('c', async () => ok('never made'), ['a', 'b']),
      check('d', async () => ok('never made'), ['c']),
      check('e', async () => warn('odd', 'look'), ['a']),
      check('f', async () => ok('made'), ['e']),
    ];
    const all = await runChecks(checks, undefined, ({ name, status }) => told.push(`${name} ${status}`));
    expect(told).toEqual(['a ok', 'b fail', 'c skipped', 'd skipped', 'e warn', 'f ok']);
    expect(all.find(({ name }) => name === 'c')?.text).toBe('needs b');
  });

  test('takes what a check throws as its failure, the further lines as what to do', async () => {
    const look = async () => {
      throw new Error('It broke\nMend it.\nOr else.');
    };
    expect(await runChecks([check('a', look)], undefined, () => undefined)).toEqual([
      { name: 'a', status: 'fail', text: 'It broke', remedy: 'Mend it. Or else.' },
    ]);
  });

  test('ends at Ctrl-C instead of calling it a failure', async () => {
    const look = async () => {
      throw new Error('AWS refused', { cause: new DOMException('cut off', 'AbortError') });
    };
    await expect(runChecks([check('a', look)], undefined, () => undefined)).rejects.toThrow('AWS refused');
  });
});

test.each([
  [[], skipped('nobody has told the time')],
  [[-29_000, 1_000], { status: 'ok' }],
  [[0, -31_000], { status: 'warn', text: expect.stringContaining('up to 31 s off') }],
  [[300_000], { status: 'fail' }],
])('a clock that others are %p milliseconds ahead of is judged by the worst', (skews, finding) => {
  expect(clockFinding(skews)).toMatchObject(finding);
});

describe('a policy', () => {
  const allow = { Effect: 'Allow', Action: ['s3:Get*'], Resource: 'arn:aws:s3:::b/events/*' };

  test.each([
    [[allow], 's3:GetObject', 'arn:aws:s3:::b/events/x.gz', true],
    [[allow], 'S3:getobject', 'arn:aws:s3:::b/events/x.gz', true],
    [[allow], 's3:GetObject', 'arn:aws:s3:::b/other/x.gz', false],
    [[allow], 's3:PutObject', 'arn:aws:s3:::b/events/x.gz', false],
    [[allow, { Effect: 'Deny', Action: '*', Resource: '*' }], 's3:GetObject', 'arn:aws:s3:::b/events/x.gz', false],
    [
      [{ Effect: 'Allow', Action: 'sqs:*', Resource: 'arn:aws:sqs:r:a:q?' }],
      'sqs:ReceiveMessage',
      'arn:aws:sqs:r:a:q1',
      true,
    ],
    [[{ Effect: 'Allow' }], 's3:GetObject', 'x', false],
  ])('%j permits %s on %s: %p', (statements, action, resource, permitted) => {
    expect(permits(statements, action, resource)).toBe(permitted);
  });
});

describe('addresses', () => {
  const at = async (status: number) => {
    await using harness = await httpHarness(json(status, {}, { location: '/elsewhere' }));
    const places = [{ baseUrl: `${harness.url}/`, authUrl: `${harness.url}/realms/acme` }];
    const finding = await addressesFinding(places, fetch, signal);
    return { finding, seen: harness.seen };
  };

  test('are right where both refuse whoever has no credentials; none are sent', async () => {
    const { finding, seen } = await at(401);
    expect(finding.status).toBe('ok');
    expect(seen.map(({ method, target }) => `${method} ${target}`).toSorted()).toEqual([
      'GET /v1/assets',
      'POST /realms/acme/protocol/openid-connect/token',
    ]);
    expect(seen.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
  });

  test.each([200, 302, 404, 500])('are doubtful where they answer %d', async status => {
    const { finding } = await at(status);
    expect(finding).toMatchObject({ status: 'warn', text: expect.stringContaining(`answered ${status}`) });
  });
});
