import { describe, expect, test } from '@jest/globals';
import { checkpointKey } from '../../../lambda/store/item.ts';
import { PLACEHOLDER } from '../../../lib/placeholder.ts';
import { pass } from '../../support/function/aws-scene.ts';
import { becomeAnotherClient } from '../support/another-client.ts';
import { type Deployment, deployment, populated } from '../support/deployment.ts';
import type { Found } from '../support/found.ts';
import { DENIED, GONE, only } from '../support/refusals.ts';

async function runDoctor(each: Deployment) {
  const { status, stderr, document } = await each.json(['doctor']);
  const all = document.checks as Found[];
  return { status, all, output: JSON.stringify(document) + stderr };
}

/** Changes variables of the function. */
function set({ account: { configuration } }: Deployment, variables: Readonly<Record<string, string>>): void {
  Object.assign(configuration.Environment!.Variables!, variables);
}

type Expected = Readonly<Record<string, readonly [status: string, words: string]>>;

/**
 * Problems that do not hide each other, and by check the expected status and a part of its text or
 * remedy.
 */
const PROBLEMS: readonly (readonly [string, (each: Deployment) => unknown, Expected])[] = [
  [
    'a secret that is not JSON, and a topic of another account that denies access',
    ({ connector, account: { stacks } }) => {
      connector.aws.secret.put('canary');
      const topic = stacks[0]!.Outputs!.find(({ OutputKey }) => OutputKey === 'AlarmTopicArn')!;
      topic.OutputValue = 'arn:aws:sns:us-east-1:999999999999:on-call';
    },
    {
      secret: ['fail', 'The secret is not JSON of the form'],
      'alarm-subscription': ['warn', 'account 999999999999 does not show the subscriptions'],
    },
  ],
  [
    'a secret that was never set',
    each => each.connector.aws.secret.put(JSON.stringify({ client_id: PLACEHOLDER, client_secret: 'generated' })),
    { secret: ['fail', 'the placeholder: no credentials were stored'], token: ['skipped', 'needs secret'] },
  ],
  [
    'a rotated secret',
    each => each.connector.simulator.account.rotateSecret(),
    { token: ['fail', 'refused the client credentials'], 'list-assets': ['skipped', 'needs token'] },
  ],
  [
    'a role that is missing, and a path that the API does not know',
    each => {
      set(each, { DNS_BLOCKS_PATH: '/v1/dns' });
      each.connector.simulator.account.roles.delete('threats:read');
    },
    {
      'list-threats': ['fail', '403 auth/insufficient-role for /v1/threats'],
      'threat-asset': ['skipped', 'needs list-threats'],
      'list-dns-blocks': ['fail', 'dnsBlocksPath'],
    },
  ],
  [
    'state of another version, a path of another list, and another member that names the asset of a threat',
    each => {
      set(each, { DNS_BLOCKS_PATH: '/v1/assets', THREAT_ASSET_FIELD: 'host' });
      return each.connector.table.put([{ ...checkpointKey('threats'), cursor: { S: 'x' } }], pass);
    },
    {
      state: ['fail', 'Deploy the version of the connector that wrote it'],
      'list-dns-blocks': ['warn', 'no blocked_at'],
      'threat-asset': ['fail', 'no asset in "host"; its members are'],
    },
  ],
  [
    'an invalid setting',
    each => set(each, { PAGE_LIMIT: '501' }),
    { settings: ['fail', 'PAGE_LIMIT must be a whole number from 1 to 500'] },
  ],
  [
    'a failed deployment, a paused schedule, and a stream that is off',
    each => {
      const { account, outputs } = each;
      account.stacks[0]!.StackStatus = 'UPDATE_ROLLBACK_FAILED';
      account.schedules.get(outputs['ScheduleName']!)!.State = 'DISABLED';
      set(each, { DNS_BLOCKS_PATH: '' });
    },
    {
      'last-deployment': ['fail', 'UPDATE_ROLLBACK_FAILED: the last'],
      schedule: ['warn', 'connectorctl -- resume'],
      'list-dns-blocks': ['skipped', 'the stream is off'],
      token: ['ok', 'accepts the credentials'],
    },
  ],
  [
    'a topic, a table, a bucket and a delivery stream that do not exist',
    each => {
      const { aws } = each.connector;
      each.account.topics.delete(each.outputs['AlarmTopicArn']!);
      aws.faults.always('dynamodb', only('DescribeTable', GONE));
      aws.faults.always('s3', { refuse: { status: 404, code: 'NoSuchBucket', message: 'No' } });
      aws.faults.always('firehose', GONE);
    },
    {
      'alarm-subscription': ['fail', 'does not exist: nobody is notified of alarms'],
      table: ['fail', 'Do not deploy'],
      bucket: ['fail', 'If somebody deleted it by hand, "npx cdk deploy --revert-drift"'],
      'delivery-stream': ['fail', 'No event can be sent. "npx cdk deploy --revert-drift'],
    },
  ],
];

describe('doctor', () => {
  test('doctor reports a healthy deployment with status 0, saves nothing and shows no row', async () => {
    await using each = await deployment({ clientSecret: 'canary-secret' });
    each.connector.simulator.put('assets', { id: 'canary-asset', name: 'canary' });
    each.connector.simulator.put('threats', { id: 'canary-threat', asset_id: 'canary-asset' });
    const { status, all, output } = await runDoctor(each);
    expect(status).toBe(0);
    expect(all.filter(check => check.status !== 'ok')).toEqual([]);
    expect(output).not.toContain('canary');
    expect(await each.connector.table.get([checkpointKey('assets')])).toEqual([]);
    expect(await each.connector.lines()).toEqual([]);
  });

  test.each(PROBLEMS)('doctor reports %s', async (_, fall, expected) => {
    await using each = await populated();
    await fall(each);
    const { status, all, output } = await runDoctor(each);
    expect(status).toBe(Object.values(expected).some(([each]) => each === 'fail') ? 3 : 0);
    for (const [name, [found, words]] of Object.entries(expected)) {
      const check = all.find(each => each.name === name)!;
      expect(check).toMatchObject({ status: found });
      expect(`${check.text} ${check.remedy ?? ''}`).toContain(words);
    }
    expect(output).not.toContain('canary');
  });

  test('doctor does not advise to overwrite a secret that could not be read', async () => {
    await using each = await deployment();
    each.connector.aws.faults.always('secretsmanager', DENIED);
    const { text, remedy } = (await runDoctor(each)).all.find(({ name }) => name === 'secret')!;
    expect(text).toContain('Access denied');
    expect(`${text} ${remedy}`).not.toMatch(/set-credentials|Put the current client_id/);
  });

  test('doctor reports each denied call in its own check and runs all checks', async () => {
    await using each = await deployment();
    const { faults } = each.connector.aws;
    // SNS has a name of its own for it.
    faults.always('sns', { refuse: { ...DENIED.refuse, code: 'AuthorizationErrorException' } });
    for (const service of ['firehose', 'dynamodb', 'scheduler', 'lambda'] as const) faults.always(service, DENIED);
    faults.always('s3', ({ permission }) => (permission === 's3:GetBucketNotification' ? DENIED : {}));
    const { status, all } = await runDoctor(each);
    const failed = all.filter(check => check.status === 'fail');
    expect(status).toBe(3);
    const names = ['settings', 'table', 'delivery-stream', 'notifications', 'schedule', 'alarm-subscription'];
    expect(failed.map(({ name }) => name)).toEqual(names);
    for (const { text, remedy } of failed) expect(`${text} ${remedy}`).toMatch(/Access denied|AWS denies/);
    expect(all.at(-1)).toMatchObject({ name: 'clock' });
  });
});

test('doctor warns of a client that differs from the saved client', async () => {
  await using each = await populated();
  await each.run();
  const found = async () => (await runDoctor(each)).all.find(({ name }) => name === 'organization');
  expect(await found()).toMatchObject({ status: 'ok' });
  becomeAnotherClient(each);
  expect(await found()).toMatchObject({
    status: 'warn',
    text: 'changed since the state was saved: client',
    remedy: expect.stringMatching(/OrganizationChangedError.*set-credentials.*confirm organization/s),
  });
});
