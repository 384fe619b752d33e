/** Readers in addition to the first one, each on its own. */
import { describe, expect, test } from '@jest/globals';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { alarmDefinitions, compositeAlarmMembers } from '../../../local/alarms/alarm-definitions.ts';
import { LOGICAL_IDS, resolveText } from '../../../local/deployment/template.ts';
import { synthesize, templateOf } from '../synth.ts';
import { propertiesOf, resources } from '../template.ts';
import { VARIANTS } from '../variants.ts';
import { REQUIRED, theirStack } from './construct.ts';

const SHARED = VARIANTS.readers.siemReaders[1].queueArn;
const template = synthesize(VARIANTS.readers);

/** Logical ids of resources whose id begins so. */
function ids(beginning: string): string[] {
  const found = Object.keys(template.Resources).filter(id => id.startsWith(beginning));
  return found.map(id => id.replace(/[0-9A-F]{8}$/, '').slice(beginning.length)).sort();
}

describe('several readers', () => {
  test('a second reader does not change the resources of the first reader', () => {
    const before = synthesize({ kmsKeyArn: VARIANTS.readers.kmsKeyArn }).Resources;
    const changed = Object.keys(before).filter(id => {
      const { DependsOn: _before, ...one } = before[id]!;
      const { DependsOn: _after, ...other } = template.Resources[id] ?? {};
      return JSON.stringify(one) !== JSON.stringify(other);
    });
    // The composite alarm lists the alarms of the new readers, too.
    expect(changed).toEqual([expect.stringMatching(/^ConnectorAlarmscritical/)]);
  });

  test('each reader has a queue, a dead-letter queue, a policy and a role', () => {
    expect(ids('ConnectorSiemReaderslake')).toEqual([
      'Announcements',
      'AnnouncementsPolicy',
      'AnnouncementsSubscription',
      'Reader',
      'ReaderPolicy',
      'Unread',
      'UnreadPolicy',
    ]);
  });

  test('each reader has two alarms, which belong to the composite alarm critical', () => {
    const own = alarmDefinitions(template).filter(({ name }) => name.endsWith('/lake'));
    const queue = (name: string) => expect.stringMatching(`ConnectorSiemReaderslake${name}`);
    expect(own).toMatchObject([
      { name: 'siem-reader-stalled/lake', series: queue('Announcements') },
      { name: 'siem-reader-failing/lake', series: queue('Unread') },
    ]);
    expect(compositeAlarmMembers(template).get('critical')).toEqual(
      expect.arrayContaining(own.map(({ name }) => name)),
    );
    const texts = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(alarm => alarm['AlarmDescription']);
    expect(texts.filter(text => String(text).startsWith('Reader lake: The SIEM '))).toHaveLength(2);
  });

  test('each reader is subscribed before the first run and has its own outputs', () => {
    const [schedule] = resources(template, 'AWS::Scheduler::Schedule');
    expect(schedule!.DependsOn!.filter(id => id.includes('Subscription'))).toHaveLength(3);
    const outputs = Object.keys(template.Outputs).filter(id => id.endsWith('Lake'));
    const names = ['DeadLetterQueueUrl', 'QueueArn', 'QueueUrl', 'ReaderPolicyArn', 'ReaderRoleArn'];
    expect(outputs.sort()).toEqual(names.map(name => `Siem${name}Lake`));
  });

  test('the other readers remain when the first reader is removed', () => {
    const rest = synthesize({ ...VARIANTS.readers, siemQueue: false });
    const queues = Object.keys(rest.Resources).filter(id =>
      /^ConnectorSiem.*(Announcements|Unread)[0-9A-F]{8}$/.test(id),
    );
    expect(queues).toEqual([expect.stringMatching(/lakeUnread/), expect.stringMatching(/lakeAnnouncements/)]);
    expect(Object.keys(rest.Outputs)).toContain('SiemRegion');
  });
});

describe('a reader with an existing queue', () => {
  test('an existing queue is subscribed without an additional queue or alarm', () => {
    expect(ids('ConnectorSiemReadersshared')).toEqual(['ReaderPolicy', 'Subscription']);
    const subscription = propertiesOf(template, 'AWS::SNS::Subscription').find(each => each['Endpoint'] === SHARED);
    expect(subscription).toMatchObject({ RawMessageDelivery: true, FilterPolicyScope: 'MessageBody' });
    expect(JSON.stringify(resources(template, 'AWS::CloudWatch::Alarm'))).not.toContain('shared');
  });

  test('the statement for the policy of an existing queue is an output', () => {
    const { Value } = template.Outputs['SiemQueueStatementShared']!;
    expect(JSON.parse(resolveText(Value, LOGICAL_IDS))).toEqual({
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: SHARED,
      Condition: { ArnEquals: { 'aws:SourceArn': expect.stringMatching(/^ConnectorNewObjects/) } },
    });
  });

  test('one queue of an app serves two connectors, and the CDK writes the policy of the queue', () => {
    const stack = theirStack();
    const queue = new Queue(stack, 'Shared');
    for (const connectorName of ['one', 'two']) {
      const props = { ...REQUIRED, connectorName, siemQueue: false, siemReaders: [{ name: 'shared', queue }] };
      new SecurityDataConnector(stack, connectorName, props);
    }
    const own = templateOf(stack);
    expect(resources(own, 'AWS::SNS::Subscription')).toHaveLength(2);
    const policies = propertiesOf(own, 'AWS::SQS::QueuePolicy').map(policy => JSON.stringify(policy));
    const policy = policies.find(text => /"Queues":\[\{"Ref":"Shared/.test(text))!;
    expect(policy.match(/sns\.amazonaws\.com/g)).toHaveLength(2);
  });
});
