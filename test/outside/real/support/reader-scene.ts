/**
 * The reader of examples/reader on moto: a bucket with objects, their notifications, queues, and
 * runs of the program.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  PutBucketNotificationConfigurationCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type Ended, run } from '../../../support/parts/command.ts';
import { READER } from '../../../support/reader-copy.ts';
import { part } from '../../running.ts';

const KILL_READER = join(import.meta.dirname, 'kill_reader.py');
const ENDS_WITHIN_SECONDS = 120;

export interface ReaderScene {
  readonly bucket: string;
  /** Stores an object. The bucket notifies its own queue. */
  put(key: string, body: Uint8Array | string): Promise<void>;
  /** What the bucket has sent to its queue so far, its test message included. */
  notifications(): Promise<string[]>;
  /**
   * A queue with these messages, which shows them again as soon as their reader has ended.
   *
   * @returns its URL
   */
  queue(messages: readonly string[]): Promise<string>;
  waiting(queueUrl: string): Promise<number>;
}

export async function readerScene(): Promise<ReaderScene> {
  const endpoint = part('moto').url;
  const config = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const s3 = new S3Client({ ...config, forcePathStyle: true });
  const sqs = new SQSClient(config);
  const bucket = `reader-${randomUUID().slice(0, 13)}`;
  const createQueue = async () =>
    (
      await sqs.send(
        new CreateQueueCommand({ QueueName: `reader-${randomUUID()}`, Attributes: { VisibilityTimeout: '0' } }),
      )
    ).QueueUrl!;
  const attribute = async <N extends 'QueueArn' | 'ApproximateNumberOfMessages'>(QueueUrl: string, name: N) => {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
    return Attributes![name]!;
  };
  const own = await createQueue();
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const QueueConfigurations = [{ QueueArn: await attribute(own, 'QueueArn'), Events: ['s3:ObjectCreated:*' as const] }];
  const NotificationConfiguration = { QueueConfigurations };
  await s3.send(new PutBucketNotificationConfigurationCommand({ Bucket: bucket, NotificationConfiguration }));
  return {
    bucket,
    async put(key, body) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
    },
    async notifications() {
      const found = new Map<string, string>();
      const count = Number(await attribute(own, 'ApproximateNumberOfMessages'));
      while (found.size < count) {
        const ask = new ReceiveMessageCommand({ QueueUrl: own, MaxNumberOfMessages: 10, VisibilityTimeout: 600 });
        for (const { MessageId, Body } of (await sqs.send(ask)).Messages ?? []) found.set(MessageId!, Body!);
      }
      return [...found.values()];
    },
    async queue(messages) {
      const QueueUrl = await createQueue();
      for (const MessageBody of messages) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      return QueueUrl;
    },
    waiting: async queueUrl => Number(await attribute(queueUrl, 'ApproximateNumberOfMessages')),
  };
}

/** @param killAt number of the step at which the reader is killed */
export async function runReader(queueUrl: string, database: string, killAt = 0): Promise<Ended> {
  const { url, folder } = part('moto');
  const environment = {
    PATH: process.env['PATH'],
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    KILL_AT: `${killAt}`,
  };
  const args = [KILL_READER, READER, '--queue-url', queueUrl, '--database', database, '--once'];
  return run(join(folder, 'bin', 'python'), args, ENDS_WITHIN_SECONDS, { environment });
}
