/** A SIEM that knows only the stack's outputs: the queue, and the policy that lets it read. */
import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { AttachUserPolicyCommand, CreateAccessKeyCommand, CreateUserCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { check, type Result } from '../../support/promise.ts';
import type { Deployment } from './account.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface Siem {
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  /** Every line of every object in its notifications. */
  readonly lines: readonly string[];
  /** Reads until the queue is empty. @param wait seconds for which the first message may take @returns the new lines */
  read(wait?: number): Promise<string[]>;
  /** Hides the returned messages from every reader for the visibility timeout. */
  receive(options?: { readonly wait?: number; readonly most?: number }): Promise<readonly Message[]>;
  take(message: Message): Promise<string[]>;
  remove(message: Message): Promise<void>;
  /** Its copy against the truth. */
  compare(truth: Iterable<string>): Result;
}

/** A user with the reader's policy and no other permission. */
export async function createReader({ outputs }: Deployment): Promise<Credentials & { readonly name: string }> {
  const iam = new IAMClient();
  const UserName = `siem-${randomUUID().slice(0, 8)}`;
  await iam.send(new CreateUserCommand({ UserName }));
  await iam.send(new AttachUserPolicyCommand({ UserName, PolicyArn: outputs['SiemReaderPolicyArn'] }));
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  return { name: UserName, accessKeyId: AccessKey!.AccessKeyId!, secretAccessKey: AccessKey!.SecretAccessKey! };
}

export function openSiem({ outputs }: Deployment, credentials: Credentials): Siem {
  const place = { region: outputs['SiemRegion']!, credentials };
  const sqs = new SQSClient(place);
  const s3 = new S3Client({ ...place, forcePathStyle: true });
  const QueueUrl = outputs['SiemQueueUrl'];
  const lines: string[] = [];
  const siem: Siem = {
    sqs,
    s3,
    lines,
    async receive({ wait = 0, most = 10 } = {}) {
      const ask = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: most, WaitTimeSeconds: wait });
      return (await sqs.send(ask)).Messages ?? [];
    },
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
    async read(wait = 1) {
      const added: string[] = [];
      for (let messages = await siem.receive({ wait }); messages.length > 0; messages = await siem.receive()) {
        for (const message of messages) {
          added.push(...(await siem.take(message)));
          await siem.remove(message);
        }
      }
      return added;
    },
    compare(truth) {
      return check({ lines, truth: [...truth].join('') });
    },
  };
  return siem;
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
