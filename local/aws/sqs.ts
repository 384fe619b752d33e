import { createHash } from 'node:crypto';
import { type JsonObject, jsonReply, MISSING_TOKEN, queryCompatibleRefusal, readJsonRequest } from './protocols.ts';
import { AwsError, arn, type Operation, type Place } from './service.ts';
import type { Service } from './wire.ts';

/** A queue is named by its name or URL. */
export interface SqsControls {
  /** Sends a message. Its time and its source queue may be given. @throws RangeError */
  send(queue: string, message: Partial<QueueMessage> & { readonly body: string }): void;
  /** Every message of a queue, including hidden ones. @throws RangeError */
  messages(queue: string): readonly QueueMessage[];
}

interface SqsOperation extends Operation {
  readonly input: JsonObject;
  /** Name of the queue; empty when an ARN names it. */
  readonly queue: string;
}

const COMPATIBLE = {
  namespace: 'com.amazonaws.sqs',
  codes: { QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue' },
};

type QueueAction = (queue: Queue, input: JsonObject) => JsonObject;

/** SQS with existing queues. A receive answers at once, and a move task has ended when its start is answered. */
export function createSqs(options: QueueOptions): { service: Service<SqsOperation>; controls: SqsControls } {
  const queues = createQueues(options);
  const moves = createMessageMoves(queues, options.now);
  const actions = queueActions(queues, options.now);
  const find = (name: string): Queue => {
    const queue = queues.byName(name);
    if (queue) return queue;
    throw new AwsError(400, 'QueueDoesNotExist', 'The specified queue does not exist.');
  };
  const known = (nameOrUrl: string): Queue => {
    const queue = queues.byName(nameIn(nameOrUrl));
    if (!queue) throw new RangeError(`No queue is named ${nameIn(nameOrUrl)}.`);
    return queue;
  };
  const service: Service<SqsOperation> = {
    name: 'sqs',
    unsigned: MISSING_TOKEN,
    understand(request) {
      const { action, input } = readJsonRequest(request, 'AmazonSQS');
      const queue = nameIn(String(input['QueueUrl'] ?? ''));
      const resource = String(input['SourceArn'] ?? arn(options, 'sqs', queue));
      return { action, permission: `sqs:${action}`, resource, input, queue };
    },
    async perform({ action, input, queue }) {
      if (action === 'StartMessageMoveTask') return jsonReply('1.0', moves.start(input));
      if (action === 'ListMessageMoveTasks') return jsonReply('1.0', moves.list(input));
      const act = actions[action];
      if (!act) throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this endpoint.`);
      return jsonReply('1.0', act(find(queue), input));
    },
    refusal: error => queryCompatibleRefusal(COMPATIBLE, error),
  };
  const controls: SqsControls = {
    send: (name, message) => void queues.send(known(name), message),
    messages: name => queues.messages(known(name)),
  };
  return { service, controls };
}

function nameIn(nameOrUrl: string): string {
  return nameOrUrl.slice(nameOrUrl.lastIndexOf('/') + 1);
}

function queueActions(queues: Queues, now: () => number): Readonly<Record<string, QueueAction>> {
  return {
    GetQueueAttributes(queue, { AttributeNames: names = [] }) {
      return { Attributes: queueAttributes(queue, queues.messages(queue), now(), names as string[]) };
    },
    ReceiveMessage(queue, input) {
      const { MaxNumberOfMessages: most = 1, VisibilityTimeout: seconds } = input;
      if (!Number.isInteger(most) || Number(most) < 1 || Number(most) > 10) {
        const reason = 'Must be between 1 and 10, if provided.';
        throw invalid(`Value ${String(most)} for parameter MaxNumberOfMessages is invalid. Reason: ${reason}`);
      }
      const received = queues.receive(queue, Number(most), seconds as number | undefined);
      return received.length === 0 ? {} : { Messages: received.map(message => messageJson(message, input)) };
    },
    DeleteMessage(queue, input) {
      queues.remove(queue, new Set([readHandle(input)]));
      return {};
    },
  };
}

function messageJson(message: QueueMessage, input: JsonObject): JsonObject {
  const { AttributeNames: old = [], MessageSystemAttributeNames: names = old, MessageAttributeNames: own = [] } = input;
  const asked = Object.entries(message.attributes).filter(([name]) =>
    (own as string[]).some(each => each === 'All' || each === '.*' || each === name),
  );
  const attributes = messageAttributes(message, names as string[]);
  return {
    MessageId: message.id,
    ReceiptHandle: Buffer.from(`receipt ${message.id}`).toString('base64'),
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(Object.keys(attributes).length > 0 ? { Attributes: attributes } : {}),
    ...(asked.length > 0 ? { MessageAttributes: Object.fromEntries(asked) } : {}),
  };
}

/** Id of the message. @throws AwsError ReceiptHandleIsInvalid */
function readHandle({ ReceiptHandle: handle }: JsonObject): string {
  const id = /^receipt ([0-9a-f-]{36})$/.exec(Buffer.from(String(handle), 'base64').toString())?.[1];
  if (id !== undefined) return id;
  const message = `The input receipt handle "${String(handle)}" is not a valid receipt handle.`;
  throw new AwsError(404, 'ReceiptHandleIsInvalid', message);
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Attributes of a queue by name. */
export function queueAttributes(
  queue: Queue,
  messages: readonly QueueMessage[],
  now: number,
  names: readonly string[],
): Record<string, string> {
  const hidden = messages.filter(({ hiddenUntil }) => hiddenUntil > now);
  const created = String(Math.floor(queue.created / 1000));
  const all: Readonly<Record<string, string>> = {
    ...queue.attributes,
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(messages.length - hidden.length),
    ApproximateNumberOfMessagesNotVisible: String(hidden.length),
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
  };
  if (names.includes('All')) return all;
  return Object.fromEntries(names.flatMap(name => (all[name] === undefined ? [] : [[name, all[name]]])));
}

/** The attributes that SQS adds to a message, by name. */
export function messageAttributes(message: QueueMessage, names: readonly string[]): Record<string, string> {
  const { sent, receives, firstReceived, sourceArn } = message;
  const all: Record<string, string> = {
    SentTimestamp: String(sent),
    ApproximateReceiveCount: String(receives),
    ApproximateFirstReceiveTimestamp: String(firstReceived),
    ...(sourceArn === undefined ? {} : { DeadLetterQueueSourceArn: sourceArn }),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)));
}

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
  /** ARN of the queue that moved the message to its dead-letter queue. */
  readonly sourceArn: string | undefined;
  /** In flight until then. */
  readonly hiddenUntil: number;
  readonly receives: number;
  readonly firstReceived: number | undefined;
}

export interface Queue {
  readonly name: string;
  readonly arn: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly created: number;
  messages: QueueMessage[];
}

export interface Queues {
  byName(name: string): Queue | undefined;
  byArn(arn: string): Queue | undefined;
  /** Queues whose dead-letter queue is this one. */
  sourcesOf(queue: Queue): Queue[];
  /** Messages within their retention, oldest first. */
  messages(queue: Queue): readonly QueueMessage[];
  send(queue: Queue, message: Partial<QueueMessage> & { readonly body: string }): QueueMessage;
  remove(queue: Queue, ids: ReadonlySet<string>): void;
  /** Hides what it returns. Messages that were received too often go to the dead-letter queue. */
  receive(queue: Queue, most: number, visibilitySeconds: number | undefined): QueueMessage[];
}

const DEFAULTS: Readonly<Record<string, string>> = {
  MaximumMessageSize: '1048576',
  MessageRetentionPeriod: '345600',
  ReceiveMessageWaitTimeSeconds: '0',
  VisibilityTimeout: '30',
};

export interface QueueOptions extends Place {
  readonly queues: readonly QueueDefinition[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Standard queues in memory. They keep the order of sending, which SQS does not promise. */
export function createQueues(options: QueueOptions): Queues {
  const { now } = options;
  const queues: Queue[] = options.queues.map(({ name, attributes }) => ({
    name,
    arn: arn(options, 'sqs', name),
    attributes: { ...DEFAULTS, ...attributes },
    created: now(),
    messages: [],
  }));
  const byArn = (wanted: string) => queues.find(queue => queue.arn === wanted);
  const messages = (queue: Queue): readonly QueueMessage[] => {
    const oldest = now() - Number(queue.attributes['MessageRetentionPeriod']) * 1000;
    queue.messages = queue.messages.filter(({ sent }) => sent >= oldest);
    return queue.messages;
  };
  const change = (queue: Queue, id: string, members: Partial<QueueMessage>): void => {
    queue.messages = queue.messages.map(each => (each.id === id ? { ...each, ...members } : each));
  };
  const remove = (queue: Queue, ids: ReadonlySet<string>): void => {
    queue.messages = queue.messages.filter(({ id }) => !ids.has(id));
  };
  const giveUp = (queue: Queue, target: Queue, message: QueueMessage): void => {
    remove(queue, new Set([message.id]));
    target.messages.push({ ...message, hiddenUntil: 0, sourceArn: queue.arn });
  };
  return {
    byName: name => queues.find(queue => queue.name === name),
    byArn,
    sourcesOf: queue => queues.filter(each => redriveOf(each)?.deadLetterTargetArn === queue.arn),
    messages,
    send(queue, message) {
      const defaults = { sourceArn: undefined, receives: 0, firstReceived: undefined };
      const sent = { id: crypto.randomUUID(), sent: now(), attributes: {}, hiddenUntil: 0, ...defaults, ...message };
      queue.messages.push(sent);
      return sent;
    },
    remove,
    receive(queue, most, visibilitySeconds) {
      const { deadLetterTargetArn: target = '', maxReceiveCount = Number.POSITIVE_INFINITY } = redriveOf(queue) ?? {};
      const deadLetterQueue = byArn(target);
      const visible = messages(queue).filter(({ hiddenUntil }) => hiddenUntil <= now());
      const exhausted = deadLetterQueue ? visible.filter(({ receives }) => receives >= maxReceiveCount) : [];
      for (const message of exhausted) giveUp(queue, deadLetterQueue!, message);
      const taken = visible.filter(message => !exhausted.includes(message)).slice(0, most);
      const hiddenUntil = now() + (visibilitySeconds ?? Number(queue.attributes['VisibilityTimeout'])) * 1000;
      for (const { id, receives, firstReceived } of taken) {
        change(queue, id, { hiddenUntil, receives: receives + 1, firstReceived: firstReceived ?? now() });
      }
      return taken.map(({ id }) => queue.messages.find(each => each.id === id)!);
    },
  };
}

function redriveOf({ attributes }: Queue): { deadLetterTargetArn: string; maxReceiveCount: number } | undefined {
  const policy = attributes['RedrivePolicy'];
  return policy === undefined ? undefined : JSON.parse(policy);
}

const MOST_RESULTS = 10;

/** Message move tasks, which empty dead-letter queues. A task has ended when its start is answered. */
function createMessageMoves(queues: Queues, now: () => number) {
  const tasks: { readonly source: string; readonly result: JsonObject }[] = [];
  const find = (input: JsonObject, member: 'SourceArn' | 'DestinationArn'): Queue => {
    const queue = queues.byArn(String(input[member]));
    if (queue) return queue;
    const message = `The resource that you specified for the ${member} parameter doesn't exist.`;
    throw new AwsError(404, 'ResourceNotFoundException', message);
  };
  return {
    /** @throws AwsError ResourceNotFoundException, InvalidParameterValue */
    start(input: JsonObject): JsonObject {
      const source = find(input, 'SourceArn');
      if (queues.sourcesOf(source).length === 0)
        throw invalid('Source queue must be configured as a Dead Letter Queue.');
      const asked = input['DestinationArn'] === undefined ? undefined : find(input, 'DestinationArn');
      if (asked === source) throw invalid('Source queue arn and destination queue arn cannot be the same.');
      const destination = asked ? { DestinationArn: asked.arn } : {};
      const moved = move(queues, source, asked, now());
      const result = { SourceArn: source.arn, ...destination, StartedTimestamp: now(), ...moved };
      tasks.unshift({ source: source.arn, result });
      const task = JSON.stringify({ taskId: crypto.randomUUID(), sourceArn: source.arn });
      return { TaskHandle: Buffer.from(task).toString('base64') };
    },
    /** @throws AwsError ResourceNotFoundException, InvalidParameterValue */
    list(input: JsonObject): JsonObject {
      const source = find(input, 'SourceArn');
      const { MaxResults: most = 1 } = input;
      if (Number(most) < 1 || Number(most) > MOST_RESULTS) {
        throw invalid(
          `Value for parameter MaxResults is invalid. Reason: Must be an integer from 1 to ${MOST_RESULTS}.`,
        );
      }
      const found = tasks.filter(task => task.source === source.arn).slice(0, Number(most));
      return { Results: found.map(({ result }) => result) };
    },
  };
}

/** Messages return to their source queue, or go to the given one. A message without a source ends the task. */
function move(queues: Queues, source: Queue, asked: Queue | undefined, now: number): JsonObject {
  const messages = queues.messages(source).filter(({ hiddenUntil }) => hiddenUntil <= now);
  let moved = 0;
  for (const { id, body, attributes, sourceArn } of messages) {
    const target = asked ?? queues.byArn(sourceArn ?? '');
    if (!target) {
      const counts = { ApproximateNumberOfMessagesMoved: moved, ApproximateNumberOfMessagesToMove: messages.length };
      return { Status: 'FAILED', ...counts, FailureReason: 'CouldNotDetermineMessageSource' };
    }
    queues.remove(source, new Set([id]));
    queues.send(target, { body, attributes });
    moved += 1;
  }
  return { Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: moved, ApproximateNumberOfMessagesToMove: moved };
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'InvalidParameterValue', message);
}
