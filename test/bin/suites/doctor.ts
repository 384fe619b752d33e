import { describe, expect, test } from '@jest/globals';
import { checkpointKey } from '../../../lambda/adapters/keys.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import type { Found } from '../support/found.ts';

async function examined(
  each: Deployment,
): Promise<{ status: number | null; sick: Found[]; all: Found[]; output: string }> {
  const { status, stdout, stderr } = await each.ctl(['doctor', '--json']);
  const all = JSON.parse(stdout).checks as Found[];
  return { status, all, sick: all.filter(check => check.status !== 'ok'), output: stdout + stderr };
}

/** What is broken, and what the doctor says of it: by check its status and what its text or advice holds. */
const ILLNESSES: readonly (readonly [
  string,
  (each: Deployment) => unknown,
  Record<string, readonly [string, string]>,
])[] = [
  [
    'a secret never filled in',
    each => each.connector.aws.secret.put(JSON.stringify({ client_id: 'replace-me', client_secret: 'generated' })),
    { secret: ['fail', 'connectorctl fill-secret'], token: ['skipped', 'needs secret'] },
  ],
  [
    'a secret that is no JSON',
    each => each.connector.aws.secret.put('canary'),
    { secret: ['fail', 'The secret is not JSON of the form'] },
  ],
  [
    'a rotated secret',
    each => each.connector.platform.account.rotateSecret(),
    { token: ['fail', 'refused the client credentials'], 'list-assets': ['skipped', 'needs token'] },
  ],
  [
    'a role that is missing',
    each => each.connector.platform.account.roles.delete('threats:read'),
    {
      'list-threats': ['fail', '403 auth/insufficient-role for /v1/threats'],
      'threat-asset': ['skipped', 'needs list-threats'],
    },
  ],
  [
    'a damaged table',
    each => each.connector.table.put([{ ...checkpointKey('threats'), cursor: { S: 'x' } }], pass),
    { state: ['fail', 'connectorctl resync threats'] },
  ],
  [
    'a paused schedule',
    each =>
      each.stack.schedules.put(each.stack.scheduleName, {
        ...each.stack.schedules.get(each.stack.scheduleName),
        State: 'DISABLED',
      }),
    { schedule: ['warn', 'connectorctl resume'] },
  ],
  [
    'an alarm',
    each => each.stack.alarms.set('acme/stream-silent/assets', 'ALARM'),
    { alarms: ['warn', 'in alarm: stream-silent/assets'] },
  ],
  [
    'a stack half deployed',
    each => Object.assign(each.stack.stacks[0]!, { status: 'UPDATE_ROLLBACK_FAILED' }),
    { stack: ['fail', 'UPDATE_ROLLBACK_FAILED'], settings: ['skipped', 'needs stack'], clock: ['ok', 'agree'] },
  ],
];

describe('doctor', () => {
  test('finds a healthy deployment healthy, exits with 0, saves nothing and shows nothing of a row', async () => {
    await using each = await deployment(
      { clientSecret: 'canary-secret' },
      { options: { siemReader: { type: 'external-id', principal: '111122223333', externalId: 'from-the-form' } } },
    );
    each.connector.platform.putAsset({ id: 'canary-asset', name: 'canary' });
    each.connector.platform.putThreat({ id: 'canary-threat', asset_id: 'canary-asset' });
    const { status, sick, output } = await examined(each);
    expect([status, sick]).toEqual([0, []]);
    expect(output).toContain('the reader role has it');
    expect(output).not.toContain('canary');
    expect(await each.connector.table.get([checkpointKey('assets')])).toEqual([]);
    expect(await each.connector.lines()).toEqual([]);
  });

  test.each(ILLNESSES)('tells of %s', async (_, fall, expected) => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    await fall(each);
    const { status, all, output } = await examined(each);
    expect(status).toBe(Object.values(expected).some(([each]) => each === 'fail') ? 3 : 0);
    for (const [name, [found, words]] of Object.entries(expected)) {
      const check = all.find(each => each.name === name)!;
      expect(check).toMatchObject({ status: found });
      expect(`${check.text} ${check.todo ?? ''}`).toContain(words);
    }
    expect(output).not.toContain('canary');
  });

  test.each([
    ['DNS_BLOCKS_PATH', '/v1/dns', 'list-dns-blocks', 'fail', 'dnsBlocksPath'],
    ['DNS_BLOCKS_PATH', '/v1/assets', 'list-dns-blocks', 'warn', 'no blocked_at'],
    ['DNS_BLOCKS_PATH', '', 'list-dns-blocks', 'skipped', 'the stream is off'],
    ['THREAT_ASSET_FIELD', 'host', 'threat-asset', 'fail', 'no asset in "host"; its members are'],
    ['PAGE_LIMIT', '501', 'settings', 'fail', 'PAGE_LIMIT must be a whole number from 1 to 500'],
  ])('reads the settings as the function does: %s=%s', async (name, value, check, found, words) => {
    await using each = await deployment({}, { variables: { [name]: value } });
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    const { all } = await examined(each);
    const told = all.find(each => each.name === check)!;
    expect(told.status).toBe(found);
    expect(`${told.text} ${told.todo ?? ''}`).toContain(words);
  });

  test('says which permissions it lacks, each where it lacks it, and goes on to the end', async () => {
    await using each = await deployment();
    const refuse = { status: 403, code: 'AccessDenied', message: 'No' };
    const lacking = {
      iam: ['reader-policy', 'iam:GetPolicy'],
      s3: ['bucket', 's3:ListBucket'],
      firehose: ['delivery-stream', 'firehose:DescribeDeliveryStream'],
      dynamodb: ['table', 'dynamodb:DescribeTable'],
      scheduler: ['schedule', 'scheduler:GetSchedule'],
      cloudwatch: ['alarms', 'cloudwatch:DescribeAlarms'],
    } as const;
    const services = Object.keys(lacking) as (keyof typeof lacking)[];
    for (const service of services) each.connector.aws.faults.always(service, { refuse });
    const { status, all } = await examined(each);
    const failed = all.filter(check => check.status === 'fail').map(({ name, todo = '' }) => [name, todo] as const);
    expect([status, failed.map(([name]) => name).toSorted()]).toEqual([
      3,
      services.map(each => lacking[each][0]).toSorted(),
    ]);
    for (const [name, todo] of failed) {
      expect(todo).toContain(services.map(each => lacking[each]).find(([check]) => check === name)![1]);
    }
    expect(all.at(-1)).toMatchObject({ name: 'clock', status: 'ok' });
  });
});
