import { createHash } from 'node:crypto';
import { AwsError, arn, type ResourcePlace } from '../../../local/aws/service.ts';
import { type JsonObject, type JsonOperation, jsonService } from '../protocols.ts';
import type { Service } from '../wire.ts';

/** A queue and its settings, by attribute name. */
export interface QueueDefinition {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly sent: number;
  /** As they were sent, by name. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** In flight until then. */
  readonly hiddenUntil: number;
}

export interface QueueOptions extends ResourcePlace {
  readonly queues: readonly QueueDefinition[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A queue is named by its name or URL. */
export interface SqsControls {
  /** Sends a message. Its time may be given. @throws RangeError */
  send(queue: string, message: Partial<QueueMessage> & { readonly body: string }): void;
  /** Every message of a queue, including hidden ones. @throws RangeError */
  messages(queue: string): readonly QueueMessage[];
}

interface Queue {
  readonly name: string;
  readonly arn: string;
  readonly attributes: Readonly<Record<string, string>>;
  messages: readonly QueueMessage[];
}

/** What SQS answers for a queue without these settings. */
const DEFAULTS = { MessageRetentionPeriod: '345600', VisibilityTimeout: '30' };

const COMPATIBLE = {
  namespace: 'com.amazonaws.sqs',
  codes: { QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue' },
};

const MOST_MESSAGES = 10;

/**
 * SQS with existing queues in memory, which keep the order of sending. A receive answers at once. Messages never expire, and no number of receives moves them to a dead-letter queue.
 */
export function createSqs(options: QueueOptions): { service: Service<JsonOperation>; controls: SqsControls } {
  const { now } = options;
  const queues: Queue[] = options.queues.map(({ name, attributes }) => {
    return { name, arn: arn(options, 'sqs', name), attributes: { ...DEFAULTS, ...attributes }, messages: [] };
  });
  const send = (queue: Queue, message: Partial<QueueMessage> & { readonly body: string }): void => {
    const defaults = { id: crypto.randomUUID(), sent: now(), attributes: {}, hiddenUntil: 0 };
    queue.messages = [...queue.messages, { ...defaults, ...message }];
  };
  const ofQueue = (act: (queue: Queue, input: JsonObject) => JsonObject) => (input: JsonObject) => {
    const queue = queues.find(({ name }) => name === nameIn(String(input['QueueUrl'])));
    if (!queue) throw new AwsError(400, 'QueueDoesNotExist', 'The specified queue does not exist.');
    return act(queue, input);
  };
  const service = jsonService({
    name: 'sqs',
    target: 'AmazonSQS',
    version: '1.0',
    compatible: COMPATIBLE,
    resource: ({ QueueUrl: url = '' }) => arn(options, 'sqs', nameIn(String(url))),
    actions: {
      GetQueueAttributes: ofQueue((queue, { AttributeNames: names = [] }) => ({
        Attributes: queueAttributes(queue, now(), names as readonly string[]),
      })),
      ReceiveMessage: ofQueue((queue, input) => receive(queue, input, now())),
      DeleteMessage: ofQueue((queue, { ReceiptHandle: handle }) => {
        queue.messages = queue.messages.filter(({ id }) => handleOf(id) !== handle);
        return {};
      }),
    },
  });
  const known = (nameOrUrl: string): Queue => {
    const queue = queues.find(({ name }) => name === nameIn(nameOrUrl));
    if (!queue) throw new RangeError(`No queue is named ${nameIn(nameOrUrl)}.`);
    return queue;
  };
  const controls: SqsControls = {
    send: (name, message) => send(known(name), message),
    messages: name => known(name).messages,
  };
  return { service, controls };
}

function nameIn(nameOrUrl: string): string {
  return nameOrUrl.slice(nameOrUrl.lastIndexOf('/') + 1);
}

function queueAttributes(
  { arn, attributes, messages }: Queue,
  now: number,
  names: readonly string[],
): Record<string, string> {
  const hidden = messages.filter(({ hiddenUntil }) => hiddenUntil > now);
  const all: Readonly<Record<string, string>> = {
    ...attributes,
    QueueArn: arn,
    ApproximateNumberOfMessages: String(messages.length - hidden.length),
    ApproximateNumberOfMessagesNotVisible: String(hidden.length),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

/** @throws AwsError InvalidParameterValue */
function receive(queue: Queue, input: JsonObject, now: number): JsonObject {
  const { MaxNumberOfMessages: most = 1, VisibilityTimeout: seconds = queue.attributes['VisibilityTimeout'] } = input;
  if (!Number.isInteger(most) || Number(most) < 1 || Number(most) > MOST_MESSAGES) {
    const reason = `Must be between 1 and ${MOST_MESSAGES}, if provided.`;
    throw invalid(`Value ${String(most)} for parameter MaxNumberOfMessages is invalid. Reason: ${reason}`);
  }
  const taken = queue.messages.filter(({ hiddenUntil }) => hiddenUntil <= now).slice(0, Number(most));
  const hiddenUntil = now + Number(seconds) * 1000;
  queue.messages = queue.messages.map(each => (taken.includes(each) ? { ...each, hiddenUntil } : each));
  return taken.length === 0 ? {} : { Messages: taken.map(message => messageJson(message, input)) };
}

function messageJson({ id, body, sent, attributes }: QueueMessage, input: JsonObject): JsonObject {
  const { MessageSystemAttributeNames: system = [], MessageAttributeNames: own = [] } = input;
  const asked = Object.entries(attributes).filter(([name]) => (own as readonly string[]).includes(name));
  return {
    MessageId: id,
    ReceiptHandle: handleOf(id),
    MD5OfBody: createHash('md5').update(body).digest('hex'),
    Body: body,
    ...((system as readonly string[]).includes('SentTimestamp') && { Attributes: { SentTimestamp: String(sent) } }),
    ...(asked.length > 0 && { MessageAttributes: Object.fromEntries(asked) }),
  };
}

function handleOf(id: string): string {
  return Buffer.from(`receipt ${id}`).toString('base64');
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'InvalidParameterValue', message);
}
