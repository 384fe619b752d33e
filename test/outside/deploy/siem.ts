/** A SIEM that knows only the stack's outputs: the queue, and the policy that lets it read. */
import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { AttachUserPolicyCommand, CreateAccessKeyCommand, CreateUserCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Deployment } from './account.ts';

export interface Siem {
  /** A user with the reader's policy and no other permission. */
  readonly user: User;
  /** Every line of every object in its notifications. */
  readonly lines: readonly string[];
  /**
   * Reads until the queue is empty.
   *
   * @param wait seconds for which the first message may take
   * @returns the new lines
   */
  read(wait?: number): Promise<string[]>;
  /** Hides the message from every reader for the visibility timeout. */
  receive(): Promise<Message | undefined>;
  /** Adds the lines of the message's objects. */
  take(message: Message): Promise<string[]>;
  remove(message: Message): Promise<void>;
  /** Makes the message visible again at once, as after the visibility timeout. */
  release(message: Message): Promise<void>;
}

export interface User {
  readonly name: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export async function openSiem({ outputs }: Deployment): Promise<Siem> {
  const user = await createUser(outputs['SiemReaderPolicyArn']!);
  const place = { region: outputs['SiemRegion']!, credentials: user };
  const sqs = new SQSClient(place);
  const s3 = new S3Client({ ...place, forcePathStyle: true });
  const QueueUrl = outputs['SiemQueueUrl'];
  const lines: string[] = [];

  const receive = async (WaitTimeSeconds: number, MaxNumberOfMessages: number) => {
    const ask = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages, WaitTimeSeconds });
    return (await sqs.send(ask)).Messages ?? [];
  };
  const siem: Siem = {
    user,
    lines,
    receive: async () => (await receive(1, 1))[0],
    async take(message) {
      const added: string[] = [];
      for (const { bucket, key } of objectsIn(message)) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        const text = gunzipSync(await Body!.transformToByteArray()).toString();
        if (!text.endsWith('\n')) throw new Error(`The last line of ${key} has no line feed`);
        added.push(...text.slice(0, -1).split('\n'));
      }
      lines.push(...added);
      return added;
    },
    async remove({ ReceiptHandle }) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    },
    async release({ ReceiptHandle }) {
      await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    },
    async read(wait = 1) {
      const added: string[] = [];
      for (let messages = await receive(wait, 10); messages.length > 0; messages = await receive(0, 10)) {
        for (const message of messages) {
          added.push(...(await siem.take(message)));
          await siem.remove(message);
        }
      }
      return added;
    },
  };
  return siem;
}

async function createUser(PolicyArn: string): Promise<User> {
  const iam = new IAMClient();
  const UserName = `siem-${randomUUID().slice(0, 8)}`;
  await iam.send(new CreateUserCommand({ UserName }));
  await iam.send(new AttachUserPolicyCommand({ UserName, PolicyArn }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  return { name: UserName, accessKeyId: AccessKey!.AccessKeyId!, secretAccessKey: AccessKey!.SecretAccessKey! };
}

interface Notification {
  readonly Records?: readonly {
    readonly s3: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
  }[];
}

/** S3 encodes keys as in a query string. Its test message has no records. */
function objectsIn({ Body = '{}' }: Message) {
  const { Records = [] } = JSON.parse(Body) as Notification;
  return Records.map(({ s3: { bucket, object } }) => {
    return { bucket: bucket.name, key: decodeURIComponent(object.key.replaceAll('+', ' ')) };
  });
}
