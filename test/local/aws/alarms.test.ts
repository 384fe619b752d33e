import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  type DescribeAlarmsCommandInput,
  DisableAlarmActionsCommand,
  EnableAlarmActionsCommand,
  ListMetricsCommand,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, test } from '@jest/globals';
import type { AlarmDefinition } from '../../../local/aws/alarms.ts';
import { type CloudWatchControls, createCloudWatch } from '../../../local/aws/cloudwatch.ts';
import { THROTTLED } from '../../../local/aws/faults.ts';
import { PLACE, type Served, served } from './served.ts';

const PREFIX = 'arn:aws:cloudwatch:us-east-1:000000000000:alarm:';

function metric(name: string): AlarmDefinition {
  const members = {
    Namespace: 'AWS/Lambda',
    MetricName: 'Errors',
    Threshold: 1,
    Dimensions: [{ Name: 'a', Value: 'b' }],
  };
  return { type: 'MetricAlarm', name, members };
}

function composite(name: string, AlarmRule: string): AlarmDefinition {
  return { type: 'CompositeAlarm', name, members: { AlarmRule, AlarmActions: ['topic'] } };
}

const PAGE = composite('acme/page', `(ALARM("${PREFIX}acme/silent") OR ALARM("${PREFIX}acme/late"))`);
const ALARMS = [PAGE, metric('acme/silent'), metric('acme/late'), metric('other/late')];

interface Scene extends Served {
  readonly client: CloudWatchClient;
  readonly controls: CloudWatchControls;
  /** Names that are described. */
  names(input: DescribeAlarmsCommandInput): Promise<string[]>;
}

async function scene(alarms = ALARMS, now = () => 0): Promise<Scene> {
  const { service, controls } = createCloudWatch({ ...PLACE, alarms, now });
  const each = await served(service);
  const client = new CloudWatchClient(each.config);
  return {
    ...each,
    controls,
    client,
    async names(input) {
      const { CompositeAlarms, MetricAlarms } = await client.send(new DescribeAlarmsCommand(input));
      return [...CompositeAlarms!, ...MetricAlarms!].map(({ AlarmName }) => AlarmName!);
    },
  };
}

const BOTH: Pick<DescribeAlarmsCommandInput, 'AlarmTypes'> = { AlarmTypes: ['CompositeAlarm', 'MetricAlarm'] };

describe('DescribeAlarms', () => {
  test('returns metric alarms only, unless the request names composite alarms too', async () => {
    await using each = await scene();
    expect(await each.names({})).toEqual(['acme/silent', 'acme/late', 'other/late']);
    expect(await each.names({ AlarmTypes: ['CompositeAlarm'] })).toEqual(['acme/page']);
    expect(await each.names(BOTH)).toHaveLength(4);
    expect(each.permissions[0]).toEqual(['cloudwatch:DescribeAlarms', '*']);
  });

  test('filters by prefix', async () => {
    await using each = await scene();
    expect(await each.names({ ...BOTH, AlarmNamePrefix: 'acme/' })).toEqual(['acme/page', 'acme/silent', 'acme/late']);
  });

  test('returns the members of an alarm, its state and the time of its last change', async () => {
    let time = 1_000_000;
    await using each = await scene(ALARMS, () => time);
    time = 2_000_000;
    each.controls.alarms.set('acme/silent', 'ALARM', 'No data.');
    time = 3_000_000;
    each.controls.alarms.set('acme/silent', 'ALARM', 'Still none.');
    const { MetricAlarms } = await each.client.send(new DescribeAlarmsCommand({ AlarmNamePrefix: 'acme/silent' }));
    expect(MetricAlarms![0]).toMatchObject({
      AlarmName: 'acme/silent',
      AlarmArn: `${PREFIX}acme/silent`,
      ActionsEnabled: true,
      StateValue: 'ALARM',
      StateReason: 'Still none.',
      StateUpdatedTimestamp: new Date(2_000_000),
      Namespace: 'AWS/Lambda',
      Dimensions: [{ Name: 'a', Value: 'b' }],
      Threshold: 1,
    });
  });

  test('continues page by page', async () => {
    const alarms = Array.from({ length: 120 }, (_, at) => metric(`alarm-${at}`));
    await using each = await scene(alarms);
    const sizes: number[] = [];
    const seen = new Set<string>();
    for await (const { MetricAlarms } of paginateDescribeAlarms({ client: each.client }, {})) {
      sizes.push(MetricAlarms!.length);
      for (const { AlarmName } of MetricAlarms!) seen.add(AlarmName!);
    }
    expect([sizes, seen.size]).toEqual([[50, 50, 20], 120]);
  });

  test('refuses an unknown token', async () => {
    await using each = await scene();
    await expect(each.names({ NextToken: 'strange' })).rejects.toMatchObject({ name: 'InvalidNextToken' });
  });
});

describe('a composite alarm', () => {
  test('is in alarm while one of its alarms is', async () => {
    await using each = await scene();
    const states = () => each.controls.alarms.names.map(name => each.controls.alarms.get(name)['StateValue']);
    each.controls.alarms.set('acme/late', 'ALARM');
    each.controls.alarms.set('other/late', 'ALARM');
    expect(states()).toEqual(['ALARM', 'OK', 'ALARM', 'ALARM']);
    each.controls.alarms.set('acme/late', 'OK');
    expect(states()).toEqual(['OK', 'OK', 'OK', 'ALARM']);
  });

  test('with an unsupported rule cannot be created', () => {
    const alarms = [composite('both', 'ALARM("a") AND ALARM("b")')];
    expect(() => createCloudWatch({ ...PLACE, alarms, now: () => 0 })).toThrow('Unsupported rule');
  });
});

describe('actions', () => {
  test('are switched off and on by name, and unknown names are ignored', async () => {
    await using each = await scene();
    const enabled = () => each.controls.alarms.names.filter(name => each.controls.alarms.get(name)['ActionsEnabled']);
    const AlarmNames = ['acme/page', 'acme/silent', 'unknown'];
    await each.client.send(new DisableAlarmActionsCommand({ AlarmNames }));
    expect(enabled()).toEqual(['acme/late', 'other/late']);
    await each.client.send(new EnableAlarmActionsCommand({ AlarmNames: ['acme/page'] }));
    expect(enabled()).toEqual(['acme/page', 'acme/late', 'other/late']);
  });

  test('are recorded with the resource that a policy must name', async () => {
    await using each = await scene();
    await each.client.send(new DisableAlarmActionsCommand({ AlarmNames: ['acme/page'] }));
    await each.client.send(new DisableAlarmActionsCommand({ AlarmNames: ['acme/page', 'acme/silent'] }));
    await each.client.send(new EnableAlarmActionsCommand({ AlarmNames: ['acme/page', 'acme/page'] }));
    expect(each.permissions).toEqual([
      ['cloudwatch:DisableAlarmActions', `${PREFIX}acme/page`],
      ['cloudwatch:DisableAlarmActions', `${PREFIX}acme/*`],
      ['cloudwatch:EnableAlarmActions', `${PREFIX}acme/page`],
    ]);
  });

  test('of more than 100 alarms at once are refused', async () => {
    await using each = await scene();
    const command = new DisableAlarmActionsCommand({ AlarmNames: Array(101).fill('a') });
    await expect(each.client.send(command)).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

test('throttled, unsupported and unsigned requests are refused with the errors of the protocol', async () => {
  await using each = await scene();
  each.faults.next('cloudwatch', THROTTLED.cloudwatch);
  await expect(each.names({})).rejects.toMatchObject({ name: 'ThrottlingException' });
  await expect(each.client.send(new ListMetricsCommand())).rejects.toMatchObject({ name: 'UnknownOperationException' });
  const answer = await fetch(each.url, { method: 'POST', body: '{}' });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('MissingAuthenticationToken')]);
});
