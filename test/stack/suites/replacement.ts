import { expect, test } from '@jest/globals';
import { synthesize } from '../synth.ts';
import { only } from '../template.ts';

/** Logical ids without the hash that the CDK appends. */
const HELD = {
  ConnectorState: 'AWS::DynamoDB::Table',
  ConnectorData: 'AWS::S3::Bucket',
  ConnectorCredentials: 'AWS::SecretsManager::Secret',
  ConnectorDeliveryToS3: 'AWS::KinesisFirehose::DeliveryStream',
  ConnectorNewObjects: 'AWS::SNS::Topic',
  ConnectorSiemAnnouncements: 'AWS::SQS::Queue',
  ConnectorSiemUnread: 'AWS::SQS::Queue',
  ConnectorSiemReaderPolicy: 'AWS::IAM::ManagedPolicy',
  ConnectorAlarmTopic: 'AWS::SNS::Topic',
  ConnectorTickSchedule: 'AWS::Scheduler::Schedule',
  ConnectorPollerFunction: 'AWS::Lambda::Function',
};

test('an update does not replace resources that hold data or that other systems use', () => {
  const { Resources } = synthesize();
  const types = Object.entries(Resources).map(([id, { Type }]) => [id.slice(0, -8), Type]);
  for (const held of Object.entries(HELD)) expect(types).toContainEqual(held);
});

test('an update does not replace the policy of the SIEM’s reader, because its description stays', () => {
  const { Description } = only(synthesize({ name: 'acme' }), 'AWS::IAM::ManagedPolicy');
  expect(Description).toBe('Reads the events of connector acme and the queue that announces them.');
});
