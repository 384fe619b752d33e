/** A queue that hears of each new object below the events' prefix, and a SIEM that reads it. */
import { PutBucketNotificationConfigurationCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

export interface SiemQueue extends AsyncDisposable {
  /** Keys in the notifications since the last time, as an S3 event writes them. */
  read(): Promise<string[]>;
}

interface S3Notification {
  readonly Records?: readonly {
    readonly eventName: string;
    readonly s3: { readonly object: { readonly key: string } };
  }[];
}

export async function siemQueue(endpoint: string, bucket: string, prefix: string): Promise<SiemQueue> {
  const config = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const sqs = new SQSClient(config);
  const s3 = new S3Client({ ...config, forcePathStyle: true });
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: bucket }));
  const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const { Attributes } = await sqs.send(ask);
  const Filter = { Key: { FilterRules: [{ Name: 'prefix' as const, Value: prefix }] } };
  const QueueConfigurations = [{ QueueArn: Attributes!['QueueArn'], Events: ['s3:ObjectCreated:*' as const], Filter }];
  await s3.send(
    new PutBucketNotificationConfigurationCommand({
      Bucket: bucket,
      NotificationConfiguration: { QueueConfigurations },
    }),
  );
  return {
    async read() {
      const keys: string[] = [];
      for (;;) {
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
        if (Messages.length === 0) return keys;
        for (const { Body = '{}' } of Messages) {
          const { Records = [] } = JSON.parse(Body) as S3Notification;
          keys.push(...Records.map(({ s3: { object } }) => decodeURIComponent(object.key.replaceAll('+', ' '))));
        }
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
        await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
    },
    async [Symbol.asyncDispose]() {
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      for (const client of [sqs, s3]) client.destroy();
    },
  };
}
