/** Creates in moto what the template declares: subscribers of topics, and queues that a bucket notifies of its objects. */
import {
  type Event,
  type NotificationConfiguration,
  PutBucketNotificationConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { CreateTopicCommand, DeleteTopicCommand, type SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import type { BucketNotifications } from '../../../local/aws/s3.ts';
import type { LocalTopic } from '../../../local/aws/sns.ts';

/** moto confirms each subscription by itself. @returns what deletes them */
export async function createTopics(sns: SNSClient, topics: readonly LocalTopic[]): Promise<(() => Promise<unknown>)[]> {
  const undone: (() => Promise<unknown>)[] = [];
  for (const { arn: TopicArn, subscriptions } of topics) {
    await sns.send(new CreateTopicCommand({ Name: TopicArn.split(':').at(-1) }));
    undone.push(() => sns.send(new DeleteTopicCommand({ TopicArn })));
    for (const { protocol: Protocol, endpoint: Endpoint } of subscriptions) {
      await sns.send(new SubscribeCommand({ TopicArn, Protocol, Endpoint }));
    }
  }
  return undone;
}

/** They go with their bucket. */
export async function notify(s3: S3Client, Bucket: string, { entries }: BucketNotifications): Promise<void> {
  const QueueConfigurations = entries
    .filter(({ target }) => target === 'Queue')
    .map(({ arn: QueueArn, events, prefix }) => ({
      QueueArn,
      Events: events as Event[],
      Filter: { Key: { FilterRules: prefix === undefined ? [] : [{ Name: 'prefix' as const, Value: prefix }] } },
    }));
  const NotificationConfiguration: NotificationConfiguration = { QueueConfigurations };
  await s3.send(new PutBucketNotificationConfigurationCommand({ Bucket, NotificationConfiguration }));
}
