import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type DeliveredEvent, parseEvent } from '../aws/delivered.ts';
import type { DeliveredObject } from '../aws/firehose.ts';
import type { BucketNotifications } from '../aws/s3.ts';
import type { LocalDeployment } from '../deployment/deployment.ts';
import type { ServiceReports } from '../incidents/service-reports.ts';
import type { SiemReader } from '../incidents/siem-reader.ts';

/** An event that the SIEM has read. */
export interface ReadEvent extends DeliveredEvent {
  readonly object: string;
  /** Milliseconds since 1970. */
  readonly readAt: number;
}

export interface DemoSiem extends SiemReader {
  /** By stream and id the event with the greatest `sequence`, as docs/events.md says. */
  readonly copy: ReadonlyMap<string, ReadEvent>;
  /** The last events of a row, oldest first. */
  eventsOf(stream: string, id: string): readonly ReadEvent[];
  /** Events read so far, and those among them that had been read before. */
  readonly counts: { readonly events: number; readonly repeats: number };
  /** Notifications in the queue. */
  waiting(): number;
  /** From now on it reads the queue of this stack. */
  connect(stack: SiemStack): void;
  /** Resolves when the queue is empty. */
  idle(): Promise<void>;
  /** Stops reading. */
  close(): Promise<void>;
}

export interface SiemStack {
  readonly deployment: LocalDeployment;
  readonly notifications: BucketNotifications | undefined;
  readonly reports: ServiceReports;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function keyOf(stream: string, id: string): string {
  return `${stream} ${id}`;
}

/** Bounds of the event history: rows, and events of each. Of other rows only the newest event is kept. */
const ROWS_REMEMBERED = 1_000;
const EVENTS_REMEMBERED = 8;

/**
 * A SIEM as docs/events.md describes it: it receives notifications from its queue, reads their objects from the bucket, keeps for each
 * stream and id the event with the greatest `sequence`, and deletes the notification last.
 */
export function demoSiem(): DemoSiem {
  const copy = new Map<string, ReadEvent>();
  const remembered = new Map<string, ReadEvent[]>();
  const counts = { events: 0, repeats: 0 };
  let reading = true;
  let stack: (SiemStack & { readonly sqs: SQSClient; readonly s3: S3Client; readonly queueUrl: string }) | undefined;
  let work: Promise<void> = Promise.resolve();

  const take = (event: ReadEvent): void => {
    const key = keyOf(event.stream, event.id);
    const events = remembered.get(key) ?? [];
    counts.events += 1;
    if (events.some(each => each.event_id === event.event_id)) counts.repeats += 1;
    remembered.delete(key);
    remembered.set(key, [...events, event].slice(-EVENTS_REMEMBERED));
    if (remembered.size > ROWS_REMEMBERED) remembered.delete(remembered.keys().next().value!);
    const held = copy.get(key);
    if (!held || event.sequence > held.sequence) copy.set(key, event);
  };
  const readObject = async (Bucket: string, Key: string): Promise<void> => {
    const { Body: body } = await stack!.s3.send(new GetObjectCommand({ Bucket, Key }));
    const lines = (await promisify(gunzip)(await body!.transformToByteArray())).toString().split('\n');
    const readAt = stack!.now();
    for (const line of lines.slice(0, -1)) take({ ...parseEvent(line), object: Key, readAt });
  };
  const readQueue = async (): Promise<void> => {
    while (reading && stack) {
      const { sqs, queueUrl: QueueUrl } = stack;
      const { Messages: messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
      );
      if (messages.length === 0) return;
      for (const { Body: body = '{}', ReceiptHandle } of messages) {
        for (const { bucket, key } of objectsIn(body)) await readObject(bucket, key);
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        stack.reports.feed('siem-queue', 'NumberOfMessagesDeleted', 1);
      }
    }
  };
  const wake = (): void => {
    work = work.then(readQueue);
  };
  const messages = () => (stack ? stack.deployment.queues.messages(stack.queueUrl) : []);
  return {
    copy,
    counts,
    eventsOf(stream, id) {
      const held = copy.get(keyOf(stream, id));
      return remembered.get(keyOf(stream, id)) ?? (held ? [held] : []);
    },
    waiting: () => messages().length,
    get reading() {
      return reading;
    },
    set reading(on) {
      reading = on;
      if (on) wake();
    },
    connect(given) {
      const config = { region: given.deployment.environment['AWS_REGION']!, credentials: KEY };
      const endpoint = (name: string) => given.deployment.environment[`AWS_ENDPOINT_URL_${name}`]!;
      stack = {
        ...given,
        queueUrl: given.deployment.outputs['SiemQueueUrl']!,
        sqs: new SQSClient({ ...config, endpoint: endpoint('SQS') }),
        s3: new S3Client({ ...config, endpoint: endpoint('S3'), forcePathStyle: true }),
      };
    },
    delivered(object) {
      if (!stack) return;
      const { deployment, notifications, reports, now } = stack;
      for (const { arn, prefix = '' } of notifications?.entries ?? []) {
        if (!object.key.startsWith(prefix)) continue;
        for (const queueArn of queuesOf(deployment, arn)) {
          deployment.queues.send(queueArn.slice(queueArn.lastIndexOf(':') + 1), {
            body: notificationOf(object, now()),
          });
          reports.feed('siem-queue', 'NumberOfMessagesSent', 1);
        }
      }
      wake();
    },
    oldestSeconds(now) {
      const [oldest] = messages();
      return oldest ? Math.max(0, Math.round((now - oldest.sent) / 1000)) : 0;
    },
    idle: () => work,
    async close() {
      reading = false;
      await work;
      stack?.sqs.destroy();
      stack?.s3.destroy();
      stack = undefined;
    },
  };
}

/** The SIEM has an access key of its own. */
export const SIEM_KEY = 'siem';
const KEY = { accessKeyId: SIEM_KEY, secretAccessKey: SIEM_KEY };

/** The queues that S3 reaches: those that the notified topic delivers to. */
function queuesOf({ topics }: LocalDeployment, topicArn: string): string[] {
  const subscriptions = topics.find(({ arn }) => arn === topicArn)?.subscriptions ?? [];
  return subscriptions.filter(({ protocol }) => protocol === 'sqs').map(({ endpoint }) => endpoint);
}

/** S3's notification of a new object. */
function notificationOf({ bucket, key }: DeliveredObject, now: number): string {
  const s3 = { bucket: { name: bucket }, object: { key: encodeURIComponent(key).replaceAll('%2F', '/') } };
  const record = { eventSource: 'aws:s3', eventName: 'ObjectCreated:Put', eventTime: new Date(now).toISOString(), s3 };
  return JSON.stringify({ Records: [record] });
}

function objectsIn(body: string): { bucket: string; key: string }[] {
  const { Records: records = [] } = JSON.parse(body) as { Records?: NotificationRecord[] };
  return records.map(({ s3 }) => ({ bucket: s3.bucket.name, key: decodeURIComponent(s3.object.key) }));
}

interface NotificationRecord {
  readonly s3: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}
