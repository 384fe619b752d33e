import { describe, expect, test } from '@jest/globals';
import { checkpointKey } from '../../../lambda/store/item.ts';
import type { ServiceName } from '../../../local/aws/service.ts';
import { pass } from '../../lambda/support/aws-scene.ts';
import { problem } from '../../lambda/support/http-harness.ts';
import { list } from '../../lambda/support/tampered-api.ts';
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
    { secret: ['fail', 'connectorctl -- set-credentials'], token: ['skipped', 'needs secret'] },
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
    { state: ['fail', 'connectorctl -- resync threats'] },
  ],
  [
    'a paused schedule',
    each =>
      each.stack.schedules.put(each.stack.scheduleName, {
        ...each.stack.schedules.get(each.stack.scheduleName),
        State: 'DISABLED',
      }),
    { schedule: ['warn', 'connectorctl -- resume'] },
  ],
  [
    'an alarm',
    each => each.stack.alarms.set('acme/stream-silent/assets', 'ALARM'),
    { alarms: ['warn', 'in alarm: stream-silent/assets'] },
  ],
  [
    'alarms that nobody hears, objects that nobody announces, a schedule and a function that somebody broke',
    ({ stack, connector: { aws } }) => {
      stack.topics[0]!.subscriptions.splice(0);
      aws.notifications.set(aws.names.bucket, { entries: [], eventBridge: true });
      const schedule = stack.schedules.get(stack.scheduleName) as { Target: { Arn: string } };
      stack.schedules.put(stack.scheduleName, { ...schedule, Target: { ...schedule.Target, Arn: 'arn:aws:sns:::x' } });
      Object.assign(stack.configuration, { State: 'Failed', StateReasonCode: 'SubnetOutOfIPAddresses' });
    },
    {
      'alarm-subscription': ['fail', 'aws sns subscribe --topic-arn arn:aws:sns:us-east-1:000000000000:'],
      announcements: ['fail', 'it tells EventBridge, which does not reach the queue'],
      schedule: ['fail', 'it starts arn:aws:sns:::x'],
      'schedule-role': ['skipped', 'needs schedule'],
      function: ['fail', 'it is Failed (SubnetOutOfIPAddresses)'],
      token: ['ok', 'takes the credentials'],
    },
  ],
  [
    'an unconfirmed subscription, a role that is gone, a function asleep',
    ({ stack }) => {
      Object.assign(stack.topics[0]!.subscriptions[0]!, { confirmed: false });
      stack.roles.splice(0);
      Object.assign(stack.configuration, { State: 'Inactive', StateReasonCode: 'Idle' });
    },
    {
      'alarm-subscription': ['warn', 'SNS forgets it after 48 hours'],
      'schedule-role': ['fail', 'is gone, so no start is handed over'],
      function: ['warn', 'connectorctl -- run'],
    },
  ],
  [
    'a topic of another account that shows nothing, a role that the schedule may not assume',
    ({ stack }) => {
      const topic = stack.stacks[0]!.outputs.find(({ key }) => key === 'AlarmTopicArn')!;
      Object.assign(topic, { value: 'arn:aws:sns:us-east-1:999999999999:on-call' });
      for (const role of stack.roles)
        Object.assign(role, { trust: { Principal: { Service: 'lambda.amazonaws.com' } } });
    },
    {
      alarms: ['fail', 'does not tell the topic'],
      'alarm-subscription': ['warn', 'account 999999999999 does not show who has subscribed'],
      'schedule-role': ['fail', 'does not let scheduler.amazonaws.com assume it'],
    },
  ],
  [
    'a topic and a table that are gone',
    ({ stack, connector: { aws } }) => {
      Object.assign(stack.topics[0]!, { arn: 'arn:aws:sns:us-east-1:000000000000:other' });
      const refuse = { status: 400, code: 'ResourceNotFoundException', message: 'Requested resource not found' };
      aws.faults.always('dynamodb', ({ action }) => (action === 'DescribeTable' ? { refuse } : {}));
    },
    {
      'alarm-subscription': ['fail', 'is gone: nobody is told of any alarm'],
      table: ['fail', 'Deploy nothing'],
    },
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
      expect(`${check.text} ${check.remedy ?? ''}`).toContain(words);
    }
    expect(output).not.toContain('canary');
  });

  test.each([
    ['UPDATE_ROLLBACK_COMPLETE', 'warn', 'was rolled back; the connector runs as deployed before', 'npx cdk deploy'],
    ['UPDATE_ROLLBACK_IN_PROGRESS', 'warn', 'is being rolled back', 'describe-stack-events'],
    ['UPDATE_ROLLBACK_FAILED', 'fail', 'is incomplete', 'npx cdk rollback SecurityDataConnector-acme'],
    ['UPDATE_FAILED', 'fail', 'is incomplete', 'npx cdk deploy SecurityDataConnector-acme'],
    ['UPDATE_IN_PROGRESS', 'warn', 'a deployment is in progress', 'again when it has ended'],
    ['DELETE_FAILED', 'fail', 'its deletion failed', 'describe-stack-events'],
  ])(
    'makes every check after %s, and says beside them what became of the last deployment',
    async (status, found, words, remedy) => {
      await using each = await deployment();
      each.connector.platform.populate({ assets: 3, threats: 2, dnsBlocks: 1 });
      Object.assign(each.stack.stacks[0]!, { status });
      const { all, sick } = await examined(each);
      expect(all.filter(check => check.status === 'skipped')).toEqual([]);
      expect(sick).toEqual([
        {
          name: 'last-deployment',
          status: found,
          text: expect.stringMatching(new RegExp(`^${status}: .*${words}`)),
          remedy: expect.stringContaining(remedy),
        },
      ]);
    },
  );

  test.each([
    ['ROLLBACK_COMPLETE', true],
    ['ROLLBACK_FAILED', true],
    ['CREATE_FAILED', false],
  ])(
    'after a first deployment that ended as %s gives the one command that clears the way, by name and without one',
    async (status, terminationProtection) => {
      await using each = await deployment();
      // CloudFormation shows the outputs of a stack only once it was created.
      const statusReason = 'The following resource(s) failed to create: [Table].';
      Object.assign(each.stack.stacks[0]!, { status, statusReason, terminationProtection, outputs: [] });
      for (const named of [[], ['--stack', 'acme']]) {
        const { stdout } = await each.ctl(['doctor', '--json', ...named]);
        const check = (JSON.parse(stdout).checks as Found[]).find(({ name }) => name === 'stack')!;
        expect(check.status).toBe('fail');
        expect(check.text).toContain(`is ${status}: its first deployment failed, so there is no connector`);
        expect(check.text).toContain(statusReason);
        const at = '--stack-name SecurityDataConnector-acme --region us-east-1';
        const unprotect = `aws cloudformation update-termination-protection --no-enable-termination-protection ${at} && `;
        const deletion = `aws cloudformation delete-stack ${at} && aws cloudformation wait stack-delete-complete ${at}`;
        expect(check.remedy?.endsWith(`To delete it: ${terminationProtection ? unprotect : ''}${deletion}`)).toBe(true);
      }
    },
  );

  test.each([
    ['CREATE_IN_PROGRESS', 'its first deployment has not ended'],
    ['REVIEW_IN_PROGRESS', 'it has a change set and no resource'],
  ])('says of a stack that is %s why there is no connector yet', async (status, words) => {
    await using each = await deployment();
    Object.assign(each.stack.stacks[0]!, { status, outputs: [] });
    const { stdout } = await each.ctl(['doctor', '--json']);
    const check = (JSON.parse(stdout).checks as Found[]).find(({ name }) => name === 'stack')!;
    expect(check).toMatchObject({ status: 'fail', text: expect.stringContaining(words) });
  });

  test('promises no next run where a request of its own fails', async () => {
    await using each = await deployment();
    each.connector.api.tamper(list('/v1/assets', problem(400, 'request/invalid-limit')));
    const { all } = await examined(each);
    const check = all.find(({ name }) => name === 'list-assets')!;
    expect(check.text).toMatch(/^The API answered 400 for \/v1\/assets .*\.$/);
    expect(check.remedy).toMatch(/^Nothing was changed\. Check baseUrl/);
    const { stderr } = await each.ctl(['verify']);
    expect(stderr).toContain('Nothing was changed');
    expect(JSON.stringify(all) + stderr).not.toMatch(/next run|checkpoint/);
  });

  test.each([
    ['AccessDeniedException', 'You need secretsmanager:GetSecretValue on it'],
    ['ResourceNotFoundException', 'It is not there'],
  ])('advises nobody to fill a secret that could not be read: %s', async (code, words) => {
    await using each = await deployment();
    each.connector.aws.faults.always('secretsmanager', { refuse: { status: 400, code, message: 'No' } });
    const { all } = await examined(each);
    const check = all.find(({ name }) => name === 'secret')!;
    expect(`${check.text} ${check.remedy}`).toContain(words);
    expect(`${check.text} ${check.remedy}`).not.toMatch(/set-credentials|Put the current client_id/);
    const { stderr } = await each.ctl(['run']);
    expect(stderr).toContain('The secret with the client credentials could not be read.');
    expect(stderr).not.toMatch(/set-credentials|Put the current client_id/);
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
    expect(`${told.text} ${told.remedy ?? ''}`).toContain(words);
  });

  test.each([
    {
      'iam:GetPolicy': 'reader-policy',
      'sns:ListSubscriptionsByTopic': 'alarm-subscription',
      's3:ListBucket': 'bucket',
      'firehose:DescribeDeliveryStream': 'delivery-stream',
      'dynamodb:DescribeTable': 'table',
      'scheduler:GetSchedule': 'schedule',
      'cloudwatch:DescribeAlarms': 'alarms',
    },
    {
      'iam:GetRole': 'schedule-role',
      's3:GetBucketNotification': 'announcements',
      'lambda:GetFunctionConfiguration': 'settings',
    },
  ])('says which permissions it lacks, each where it lacks it, and goes on to the end: %j', async lacking => {
    await using each = await deployment();
    for (const permission of Object.keys(lacking)) {
      const service = permission.split(':')[0] as ServiceName;
      // SNS has a name of its own for it.
      const code = service === 'sns' ? 'AuthorizationError' : 'AccessDenied';
      const refuse = { status: 403, code, message: 'No' };
      each.connector.aws.faults.always(service, asked => (asked.permission === permission ? { refuse } : {}));
    }
    const { status, all } = await examined(each);
    const failed = all.filter(check => check.status === 'fail');
    expect([status, failed.map(({ name }) => name).toSorted()]).toEqual([3, Object.values(lacking).toSorted()]);
    for (const [permission, check] of Object.entries(lacking)) {
      expect(failed.find(({ name }) => name === check)?.remedy).toContain(permission);
    }
    expect(all.at(-1)).toMatchObject({ name: 'clock', status: 'ok' });
  });
});
