/** Updates a stack of an earlier release in place. No event is repeated, no state is lost, and the reader keeps its access. */
import { strict as assert } from 'node:assert';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CONNECTOR_METRICS, METRIC_NAMESPACE, STREAM_METRICS } from '../../../lambda/metrics.ts';
import { command, run } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import type { Account, Deployment } from './account.ts';
import { type Answer, assertTruth, forwarded, liveAssets } from './acts.ts';
import { createReader, openSiem } from './siem.ts';
import type { Story } from './story.ts';

interface Release {
  readonly commit: string;
  readonly about: string;
}

/** No release has been tagged yet, so a commit stands for it. */
const RELEASES: readonly Release[] = [{ commit: '466df1c', about: 'the first commit with the table of 0.1.0' }];

const ROOT = join(import.meta.dirname, '..', '..', '..');

export async function upgrade(account: Account, story: Story): Promise<void> {
  const { step, note } = story;
  account.api.simulator.populate({ assets: 300, threats: 200, dnsBlocks: 100 });
  await step('cdk bootstrap', () => account.bootstrap());
  for (const release of RELEASES) {
    const { commit } = release;
    await using folder = await temporaryFolder('release-');
    const lacks = await step(`${commit}, ${release.about}`, async () => {
      const { status } = await run('git', ['cat-file', '-e', `${commit}^{commit}`], 30);
      if (status !== 0) note(`SKIPPED: this clone does not have the commit ${commit}`);
      else await unpack(commit, folder.path);
      return status !== 0;
    });
    if (!lacks) await upgradeFrom(release, folder.path, account, story);
  }
}

async function unpack(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'release.tar');
  await command('git', ['archive', '--output', archive, commit], 60);
  await command('tar', ['-xf', archive, '-C', folder], 60);
  // Both releases use the packages of this one.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

async function upgradeFrom(release: Release, folder: string, account: Account, { step, note }: Story): Promise<void> {
  const { simulator } = account.api;
  const options = { name: `of-${release.commit}`, enabled: false };
  const before = await step('cdk deploy of that release, credentials by the command of its output', async () => {
    const deployed = await account.deploy(options, folder);
    await fillCredentials(deployed, account);
    return deployed;
  });
  const resources = await resourcesOf(before);
  const alarms = await alarmsOf(before);
  const siem = openSiem(before, await createReader(before));
  await step('it drains, and the SIEM leaves some of it unread', async () => {
    await invoke(before);
    const [message] = await siem.receive({ wait: 1, most: 1 });
    await siem.take(message!);
    await siem.remove(message!);
  });
  const [changed, removed] = liveAssets(account);
  simulator.put('assets', { id: changed!, changed: `before the update from ${release.commit}` });
  simulator.remove('assets', removed!);
  const after = await step('cdk deploy of this release', () => account.deploy(options));
  await step('the SIEM reads on, with the URL and the policy that it was set up with', async () => {
    await siem.read();
    const { SiemQueueUrl, SiemReaderPolicyArn, BucketName } = before.outputs;
    assert.deepEqual({ ...after.outputs, SiemQueueUrl, SiemReaderPolicyArn, BucketName }, after.outputs);
  });
  await step('run: what changed is sent, nothing else again', async () => {
    const answer: Answer = await after.json(['run']);
    const lines = await siem.read();
    assert.deepEqual(
      lines
        .map(line => JSON.parse(line).kind)
        .filter(kind => kind !== 'withdrawn')
        .sort(),
      ['tombstone', 'upsert'],
    );
    assertTruth(siem, account);
    note(`${forwarded(answer)} events and ${lines.length - forwarded(answer)} withdrawals`);
  });
  await step('verify and status: no state was lost', async () => {
    const { status, stdout } = await after.ctl(['verify']);
    assert.equal(status, 0, stdout);
    note(stdout.split('\n')[0]!);
    assert.equal((await after.ctl(['status'])).status, 0);
  });
  await step('alarms are those of this release, on metrics that it emits', async () => {
    const names: ReadonlySet<string> = new Set([...Object.keys(STREAM_METRICS), ...Object.keys(CONNECTOR_METRICS)]);
    const now = await alarmsOf(after);
    const strange = now.filter(({ namespace, metric }) => namespace === METRIC_NAMESPACE && !names.has(metric!));
    assert.deepEqual(strange, []);
    const gone = alarms.filter(({ name }) => !now.some(each => each.name === name)).map(({ name }) => name);
    const added = now.filter(({ name }) => !alarms.some(each => each.name === name)).map(({ name }) => name);
    const renamed = alarms.filter(({ name, metric }) => now.some(each => each.name === name && each.metric !== metric));
    note(`alarms gone: ${gone.join(', ') || 'none'}; new: ${added.join(', ') || 'none'}`);
    note(`on another metric: ${renamed.map(({ name, metric }) => `${name} (was ${metric})`).join(', ') || 'none'}`);
  });
  await step('nothing that holds data, or that others were set up with, was replaced', async () => {
    const now = await resourcesOf(after);
    const held = /^AWS::(DynamoDB|S3|SQS|SecretsManager|SNS|KinesisFirehose|Lambda|Scheduler)::|ManagedPolicy/;
    const kept = [...resources];
    const replaced = kept.filter(([id, each]) => held.test(each.type) && now.get(id)?.physical !== each.physical);
    assert.deepEqual(replaced, []);
    note(`${kept.filter(([, { type }]) => held.test(type)).length} resources kept`);
  });
}

async function fillCredentials({ outputs }: Deployment, { api: { simulator } }: Account): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret } = simulator.account;
  const SecretId = /--secret-id (\S+)/.exec(outputs['FillCredentials']!)![1];
  const SecretString = JSON.stringify({ client_id, client_secret });
  await new SecretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString }));
}

async function invoke({ outputs }: Deployment): Promise<void> {
  const input = { FunctionName: outputs['FunctionName'], Payload: '{}' };
  const { FunctionError, Payload } = await new LambdaClient().send(new InvokeCommand(input));
  assert.equal(FunctionError, undefined, Payload?.transformToString());
}

async function resourcesOf({ stack }: Deployment) {
  const resources = new Map<string, { readonly type: string; readonly physical: string | undefined }>();
  const pages = paginateListStackResources({ client: new CloudFormationClient() }, { StackName: stack });
  for await (const { StackResourceSummaries = [] } of pages) {
    for (const { LogicalResourceId: id, ResourceType: type, PhysicalResourceId: physical } of StackResourceSummaries) {
      resources.set(id!, { type: type!, physical });
    }
  }
  return resources;
}

async function alarmsOf({ name }: Deployment) {
  const alarms: { readonly name: string; readonly namespace?: string; readonly metric?: string }[] = [];
  const input = { AlarmNamePrefix: `${name}/`, AlarmTypes: ['MetricAlarm' as const, 'CompositeAlarm' as const] };
  for await (const page of paginateDescribeAlarms({ client: new CloudWatchClient() }, input)) {
    for (const { AlarmName } of page.CompositeAlarms ?? []) alarms.push({ name: AlarmName! });
    for (const { AlarmName, Namespace, MetricName } of page.MetricAlarms ?? []) {
      alarms.push({
        name: AlarmName!,
        ...(Namespace && { namespace: Namespace }),
        ...(MetricName && { metric: MetricName }),
      });
    }
  }
  return alarms;
}
