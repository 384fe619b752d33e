import { describe, expect, test } from '@jest/globals';
import { checkpointKey } from '../../../lambda/store/item.ts';
import { PLACEHOLDER } from '../../../lib/placeholder.ts';
import type { ServiceName } from '../../../local/aws/service.ts';
import type { LocalTopic } from '../../../local/aws/sns.ts';
import { list, problem } from '../../../local/incidents/tampered-api.ts';
import { page } from '../../docs/pages.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import { becomeAnotherClient } from '../support/another-client.ts';
import { type Deployment, deployment } from '../support/deployment.ts';
import type { Found } from '../support/found.ts';
import { DENIED, GONE, only } from '../support/refusals.ts';

async function runDoctor(each: Deployment) {
  const { status, stderr, document } = await each.json(['doctor']);
  const all = document.checks as Found[];
  return {
    status,
    all,
    findings: all.filter(check => check.status !== 'ok'),
    output: JSON.stringify(document) + stderr,
  };
}

/** Changes variables of the function. */
function set({ stack: { configuration } }: Deployment, variables: Readonly<Record<string, string>>): void {
  const { Variables } = configuration['Environment'] as { Variables: Record<string, string> };
  Object.assign(Variables, variables);
}

function alarmTopic({ stack: { topics, outputs } }: Deployment): LocalTopic {
  return topics.find(({ arn }) => arn === outputs['AlarmTopicArn'])!;
}

/** A fault, and by check the expected status and a part of its text or remedy. */
const FAULTS: readonly (readonly [string, (each: Deployment) => unknown, Record<string, readonly [string, string]>])[] =
  [
    [
      'a secret that is not JSON',
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
      'a table that another version wrote, and a path of another list',
      each => {
        set(each, { DNS_BLOCKS_PATH: '/v1/assets' });
        return each.connector.table.put([{ ...checkpointKey('threats'), cursor: { S: 'x' } }], pass);
      },
      {
        state: ['fail', 'Deploy the version of the connector that wrote it'],
        'list-dns-blocks': ['warn', 'no blocked_at'],
      },
    ],
    [
      'a path that the API does not know, and another member that names the asset of a threat',
      each => set(each, { DNS_BLOCKS_PATH: '/v1/dns', THREAT_ASSET_FIELD: 'host' }),
      {
        'list-dns-blocks': ['fail', 'dnsBlocksPath'],
        'threat-asset': ['fail', 'no asset in "host"; its members are'],
      },
    ],
    [
      'an invalid setting',
      each => set(each, { PAGE_LIMIT: '501' }),
      { settings: ['fail', 'PAGE_LIMIT must be a whole number from 1 to 500'] },
    ],
    [
      'a paused schedule and a stream that is off',
      each => {
        const { stack } = each;
        set(each, { DNS_BLOCKS_PATH: '' });
        const schedule = stack.schedules.get(stack.scheduleName);
        stack.schedules.put(stack.scheduleName, { ...schedule, State: 'DISABLED' });
      },
      {
        schedule: ['warn', 'connectorctl -- resume'],
        'list-dns-blocks': ['skipped', 'the stream is off'],
      },
    ],
    [
      'alarms without a subscription, objects without notifications and a failed function',
      each => {
        const { stack, connector } = each;
        const { aws } = connector;
        alarmTopic(each).subscriptions.splice(0);
        aws.notifications.set(aws.names.bucket, { entries: [], eventBridge: true });
        Object.assign(stack.configuration, { State: 'Failed', StateReasonCode: 'SubnetOutOfIPAddresses' });
      },
      {
        'alarm-subscription': [
          'fail',
          '--protocol email --notification-endpoint you@example.com --region us-east-1, then',
        ],
        notifications: ['fail', 'it notifies EventBridge, which does not reach the queue'],
        function: ['fail', 'its state is Failed (SubnetOutOfIPAddresses)'],
        token: ['ok', 'accepts the credentials'],
      },
    ],
    [
      'an unconfirmed subscription and an inactive function',
      each => {
        const { stack } = each;
        Object.assign(alarmTopic(each).subscriptions[0]!, { confirmed: false });
        Object.assign(stack.configuration, { State: 'Inactive', StateReasonCode: 'Idle' });
      },
      {
        'alarm-subscription': ['warn', 'The subscription expires after 48 hours'],
        function: ['warn', 'connectorctl -- run'],
      },
    ],
    [
      'a topic of another account that denies access',
      ({ stack }) => {
        const topic = stack.stacks[0]!.outputs.find(({ key }) => key === 'AlarmTopicArn')!;
        Object.assign(topic, { value: 'arn:aws:sns:us-east-1:999999999999:on-call' });
      },
      {
        'alarm-subscription': ['warn', 'account 999999999999 does not show the subscriptions'],
      },
    ],
    [
      'a topic, a table, a bucket and a delivery stream that do not exist',
      each => {
        const { aws } = each.connector;
        Object.assign(alarmTopic(each), { arn: 'arn:aws:sns:us-east-1:000000000000:other' });
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
  test('reports a healthy deployment as healthy, exits with 0, saves nothing and shows no row', async () => {
    await using each = await deployment(
      { clientSecret: 'canary-secret' },
      { options: { siemReader: { type: 'external-id', principal: '111122223333', externalId: 'from-the-form' } } },
    );
    each.connector.platform.put('assets', { id: 'canary-asset', name: 'canary' });
    each.connector.platform.put('threats', { id: 'canary-threat', asset_id: 'canary-asset' });
    const { status, findings, output } = await runDoctor(each);
    expect([status, findings]).toEqual([0, []]);
    expect(output).not.toContain('canary');
    expect(await each.connector.table.get([checkpointKey('assets')])).toEqual([]);
    expect(await each.connector.lines()).toEqual([]);
  });

  test.each(FAULTS)('reports %s', async (_, fall, expected) => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    await fall(each);
    const { status, all, output } = await runDoctor(each);
    expect(status).toBe(Object.values(expected).some(([each]) => each === 'fail') ? 3 : 0);
    for (const [name, [found, words]] of Object.entries(expected)) {
      const check = all.find(each => each.name === name)!;
      expect(check).toMatchObject({ status: found });
      expect(`${check.text} ${check.remedy ?? ''}`).toContain(words);
      expect(`${check.text} ${check.remedy ?? ''}`).not.toMatch(/does not exist.*You need/);
    }
    expect(output).not.toContain('canary');
  });

  test('runs every check after a deployment that failed halfway, and reports that deployment', async () => {
    await using each = await deployment();
    each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
    Object.assign(each.stack.stacks[0]!, { status: 'UPDATE_ROLLBACK_FAILED' });
    const { all, findings } = await runDoctor(each);
    expect(all.filter(check => check.status === 'skipped')).toEqual([]);
    expect(findings).toEqual([
      expect.objectContaining({
        name: 'last-deployment',
        status: 'fail',
        text: expect.stringContaining('UPDATE_ROLLBACK_FAILED: the last operation'),
      }),
    ]);
  });

  test('and the runbook name what a run reports while the secret was never set', async () => {
    await using each = await deployment();
    each.connector.aws.secret.put(JSON.stringify({ client_id: PLACEHOLDER, client_secret: 'generated' }));
    const message = 'The token endpoint refused the client credentials (401';
    expect((await each.ctl(['run'])).stderr).toContain(message);
    const row = page('docs/runbook.md')
      .split('\n')
      .find(line => line.includes('never set,'));
    expect(row).toContain(message);
    const { all } = await runDoctor(each);
    expect(all.filter(({ name }) => name === 'secret' || name === 'token')).toMatchObject([
      {
        text: 'it still has the placeholder: it was never set',
        remedy: expect.stringContaining('connectorctl -- set-credentials'),
      },
      { text: 'needs secret' },
    ]);
  });

  test('mentions no next run if one of its own requests fails', async () => {
    await using each = await deployment();
    each.connector.api.tamper(list('/v1/assets', problem(400, 'request/invalid-limit')));
    const { all } = await runDoctor(each);
    const check = all.find(({ name }) => name === 'list-assets')!;
    expect(check.text).toMatch(/^The API answered 400 for \/v1\/assets .*\.$/);
    expect(check.remedy).toMatch(/^Nothing was changed\. Check baseUrl/);
    const { stderr } = await each.ctl(['verify']);
    expect(stderr).toContain('Nothing was changed');
    expect(JSON.stringify(all) + stderr).not.toMatch(/next run|checkpoint/);
  });

  test('does not advise to overwrite a secret that cannot be read', async () => {
    await using each = await deployment();
    each.connector.aws.faults.always('secretsmanager', DENIED);
    const { all } = await runDoctor(each);
    const check = all.find(({ name }) => name === 'secret')!;
    expect(`${check.text} ${check.remedy}`).toContain('Access denied');
    expect(`${check.text} ${check.remedy}`).not.toMatch(/set-credentials|Put the current client_id/);
    const { stderr } = await each.ctl(['run']);
    expect(stderr).toContain('The secret with the client credentials could not be read.');
    expect(stderr).not.toMatch(/set-credentials|Put the current client_id/);
  });

  test.each([
    {
      'sns:ListSubscriptionsByTopic': 'alarm-subscription',
      's3:ListBucket': 'bucket',
      'firehose:DescribeDeliveryStream': 'delivery-stream',
      'dynamodb:DescribeTable': 'table',
      'scheduler:GetSchedule': 'schedule',
    },
    {
      's3:GetBucketNotification': 'notifications',
      'lambda:GetFunctionConfiguration': 'settings',
    },
  ])('reports each call that AWS denies in its check, and runs all checks: %j', async lacking => {
    await using each = await deployment();
    for (const permission of Object.keys(lacking)) {
      const service = permission.split(':')[0] as ServiceName;
      // SNS has a name of its own for it.
      const code = service === 'sns' ? 'AuthorizationError' : 'AccessDenied';
      const refuse = { status: 403, code, message: 'No' };
      each.connector.aws.faults.always(service, asked => (asked.permission === permission ? { refuse } : {}));
    }
    const { status, all } = await runDoctor(each);
    const failed = all.filter(check => check.status === 'fail');
    expect([status, failed.map(({ name }) => name).toSorted()]).toEqual([3, Object.values(lacking).toSorted()]);
    for (const { text, remedy } of failed) expect(`${text} ${remedy}`).toMatch(/Access denied|AWS denies/);
    expect(all.at(-1)).toMatchObject({ name: 'clock', status: 'ok' });
  });
});

test('of credentials of another client than the saved state, doctor says so until a run has noted the new one', async () => {
  await using each = await deployment();
  each.connector.platform.populate({ assets: 3, threats: 3, dnsBlocks: 3 });
  await each.run();
  const found = async () => (await runDoctor(each)).all.find(({ name }) => name === 'organization');
  expect(await found()).toMatchObject({ status: 'ok' });
  becomeAnotherClient(each);
  expect(await found()).toMatchObject({
    status: 'warn',
    text: 'changed since the state was saved: client',
    remedy: expect.stringMatching(/OrganizationChangedError.*set-credentials.*confirm organization/s),
  });
  await each.connector.run({}, { cold: true });
  expect(await found()).toMatchObject({ status: 'ok', text: expect.stringContaining('those that the saved state') });
});

test('without any threat, doctor does not say that it has checked which member names the asset', async () => {
  await using each = await deployment();
  const { all } = await runDoctor(each);
  expect(all.find(({ name }) => name === 'threat-asset')).toMatchObject({
    status: 'skipped',
    text: 'the API has no threat yet',
  });
});
