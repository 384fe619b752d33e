import { GetBucketNotificationConfigurationCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from '@jest/globals';
import { clientConfig, started } from './started.ts';

const Bucket = 'security-data';
const ask = new GetBucketNotificationConfigurationCommand({ Bucket });
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:siem';
const TOPIC = 'arn:aws:sns:us-east-1:000000000000:new-objects';

test('a bucket has no notifications until they are configured', async () => {
  await using running = await started();
  const client = new S3Client({ ...clientConfig(running.aws, 'S3'), forcePathStyle: true });
  const { $metadata: _, ...answer } = await client.send(ask);
  expect(answer).toEqual({});
  expect(running.calls.at(-1)).toMatchObject({
    permission: 's3:GetBucketNotification',
    resource: 'arn:aws:s3:::security-data',
  });
});

test('queues and topics are listed with their events and filters, and so is EventBridge', async () => {
  await using running = await started();
  const client = new S3Client({ ...clientConfig(running.aws, 'S3'), forcePathStyle: true });
  const events = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*'];
  running.aws.notifications.set(Bucket, {
    entries: [
      { arn: QUEUE, events, prefix: 'events/', suffix: '.gz' },
      { arn: TOPIC, events },
    ],
    eventBridge: true,
  });
  const { $metadata: _, ...answer } = await client.send(ask);
  const rules = [
    { Name: 'Prefix', Value: 'events/' },
    { Name: 'Suffix', Value: '.gz' },
  ];
  expect(answer).toEqual({
    QueueConfigurations: [{ QueueArn: QUEUE, Events: events, Filter: { Key: { FilterRules: rules } } }],
    TopicConfigurations: [{ TopicArn: TOPIC, Events: events }],
    EventBridgeConfiguration: {},
  });
});

test('a missing bucket is refused', async () => {
  await using running = await started();
  const client = new S3Client({ ...clientConfig(running.aws, 'S3'), forcePathStyle: true });
  const asked = client.send(new GetBucketNotificationConfigurationCommand({ Bucket: 'other' }));
  await expect(asked).rejects.toMatchObject({ name: 'NoSuchBucket' });
});
