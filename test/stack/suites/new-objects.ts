import { describe, expect, test } from '@jest/globals';
import type { Stack } from 'aws-cdk-lib';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { SqsDestination } from 'aws-cdk-lib/aws-s3-notifications';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { SecurityDataConnectorProps } from '../../../lib/connector-props.ts';
import { Destination } from '../../../lib/delivery/destination.ts';
import { synthesize, templateOf } from '../synth.ts';
import { joinedText, only, type Resource, resources, type SynthesizedTemplate } from '../template.ts';
import { VARIANTS } from '../variants.ts';
import { construct } from './construct.ts';
import type { Statement } from './policies.ts';

/** The notification that S3 sends for each new object below events/. */
const NOTIFICATION = {
  Event: 's3:ObjectCreated:*',
  Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: 'events/' }] } },
  Topic: { Ref: expect.stringMatching(/^ConnectorNewObjects[0-9A-F]{8}$/) },
};

function bucketNotifications(template: SynthesizedTemplate): unknown {
  return only(template, 'AWS::S3::Bucket')['NotificationConfiguration'];
}

function subscriptions(template: SynthesizedTemplate): Resource[] {
  return resources(template, 'AWS::SNS::Subscription').filter(({ Properties }) => Properties['Protocol'] === 'sqs');
}

/** Resources and outputs of the SIEM's queue. */
function siemParts({ Resources, Outputs }: SynthesizedTemplate): string[] {
  return [...Object.keys(Resources), ...Object.keys(Outputs)].filter(id => /^(Connector)?Siem/.test(id));
}

/** Resources with which the CDK configures a bucket at deployment. */
function customResources(template: SynthesizedTemplate): string[] {
  return Object.values(template.Resources)
    .map(({ Type }) => Type)
    .filter(type => type.startsWith('Custom::'));
}

function allowed(template: SynthesizedTemplate, policyId: string): Statement[] {
  const [, policy] = Object.entries(template.Resources).find(([id]) => id.startsWith(policyId))!;
  const { Statement: statements } = policy.Properties['PolicyDocument'] as { Statement: Statement[] };
  return statements.filter(({ Effect }) => Effect === 'Allow');
}

describe('the topic of new objects', () => {
  test('the topic of new objects delivers S3’s own format to the queue of the SIEM', () => {
    const [subscription, ...others] = subscriptions(synthesize());
    expect(others).toEqual([]);
    expect(subscription!.Properties).toMatchObject({
      Endpoint: { 'Fn::GetAtt': [expect.stringMatching(/^ConnectorSiemAnnouncements/), 'Arn'] },
      RawMessageDelivery: true,
      FilterPolicyScope: 'MessageBody',
      FilterPolicy: { Records: { eventName: [{ prefix: 'ObjectCreated:' }] } },
    });
  });

  test('the queue is subscribed before the first run, because SNS keeps nothing for later subscribers', () => {
    const template = synthesize();
    const [subscription] = subscriptions(template);
    expect(subscription!.DependsOn).toContainEqual(expect.stringMatching(/^ConnectorData[0-9A-F]{8}$/));
    const [schedule] = resources(template, 'AWS::Scheduler::Schedule');
    expect(schedule!.DependsOn).toContainEqual(expect.stringMatching(/^ConnectorSiemAnnouncementsSubscription/));
  });

  test('a notification that the SIEM’s queue refuses goes to the dead-letter queue, which has an alarm', () => {
    const [subscription] = subscriptions(synthesize());
    expect(subscription!.Properties['RedrivePolicy']).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(/^ConnectorSiemUnread/), 'Arn'] },
    });
  });

  test.each<[string, Readonly<Record<string, unknown>>, (template: SynthesizedTemplate) => string]>([
    ['of the stack', {}, template => `arn:aws:s3:::${joinedText(only(template, 'AWS::S3::Bucket')['BucketName'])}`],
    ['that existed before', VARIANTS.existingParts, () => 'arn:aws:s3:::acme-security-data'],
  ])('the topic accepts only notifications of the bucket %s from its own account', (_, options, bucketArn) => {
    const template = synthesize(options);
    expect(template.Outputs).toHaveProperty('NewObjectsTopicArn');
    const [own, ...others] = allowed(template, 'ConnectorNewObjectsPolicy');
    expect(others).toEqual([]);
    expect(own).toMatchObject({
      Action: 'sns:Publish',
      Principal: { Service: 's3.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    const source = own!.Condition!['ArnEquals']!['aws:SourceArn'];
    expect(typeof source === 'string' ? source : joinedText(source)).toBe(bucketArn(template));
  });

  test('the bucket notifies the topic of new objects even without a queue for the SIEM', () => {
    const template = synthesize({ siemQueue: false });
    expect(bucketNotifications(template)).toEqual({ TopicConfigurations: [NOTIFICATION] });
    expect(siemParts(template)).toEqual([]);
  });

  test.each([
    ['an endpoint', VARIANTS.splunk],
    ['an existing delivery stream', VARIANTS.existing],
  ])('the topic of new objects does not exist when the destination is %s', (_, options) => {
    const template = synthesize(options);
    expect(bucketNotifications(template)).toBeUndefined();
    expect(resources(template, 'AWS::SNS::Topic')).toHaveLength(1);
    expect(siemParts(template)).toEqual([]);
  });
});

const queueOf = (scope: Stack) => new SqsDestination(new sqs.Queue(scope, 'Theirs'));

describe('another notification of the bucket', () => {
  test('another notification of the bucket is refused, with advice on how to subscribe instead', () => {
    const { scope, connector } = construct();
    // The other methods of the CDK come here, too.
    const addition = () => connector.bucket.addObjectRemovedNotification(queueOf(scope));
    expect(addition).toThrow(/^connector\.bucket of acme: .*connector\.newObjectsTopic\.addSubscription\(/s);
    expect(customResources(templateOf(scope))).toEqual([]);
  });

  test('a notification for EventBridge does not replace the topic', () => {
    const { scope, connector } = construct();
    connector.bucket.enableEventBridgeNotification();
    const template = templateOf(scope);
    expect(bucketNotifications(template)).toEqual({
      TopicConfigurations: [NOTIFICATION],
      EventBridgeConfiguration: { EventBridgeEnabled: true },
    });
    expect(customResources(template)).toEqual([]);
  });
});

test.each<[string, (scope: Stack) => Partial<SecurityDataConnectorProps>]>([
  ['has no events', () => ({ destination: Destination.splunk({ url: 'https://splunk.acme.example:8088' }) })],
  ['exists already', scope => ({ bucket: new s3.Bucket(scope, 'Bucket') })],
])('a bucket that %s accepts the notifications of the app', (_, props) => {
  const { scope, connector } = construct(props);
  connector.bucket.addEventNotification(s3.EventType.OBJECT_CREATED, queueOf(scope));
  expect(customResources(templateOf(scope))).toEqual(['Custom::S3BucketNotifications']);
});

test('an existing bucket may notify the queue of the SIEM itself', () => {
  const [direct, byTopic, ...others] = allowed(synthesize(VARIANTS.existingParts), 'ConnectorSiemAnnouncementsPolicy');
  expect(others).toEqual([]);
  expect(direct).toMatchObject({
    Principal: { Service: 's3.amazonaws.com' },
    Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:s3:::acme-security-data' } },
  });
  expect(byTopic).toMatchObject({ Principal: { Service: 'sns.amazonaws.com' } });
});
