import { createHash } from 'node:crypto';
import { AwsError } from './aws-error.ts';
import { type JsonObject, jsonReply, MISSING_TOKEN, queryCompatibleRefusal, readJsonRequest } from './json-protocol.ts';
import { createMessageMoves } from './message-moves.ts';
import type { Operation } from './operation.ts';
import { arn } from './place.ts';
import { messageAttributes, queueAttributes } from './queue-attributes.ts';
import { createQueues, type Queue, type QueueMessage, type QueueOptions, type Queues } from './queues.ts';
import type { Service } from './wire.ts';

/** A queue goes by its name or its URL. */
export interface SqsControls {
  /** Puts a message into a queue: when it was sent, and by which queue it was given up, may be told. @throws RangeError */
  send(queue: string, message: Partial<QueueMessage> & { readonly body: string }): void;
  /** Every message of a queue, also those that are hidden. @throws RangeError */
  messages(queue: string): readonly QueueMessage[];
}

interface SqsOperation extends Operation {
  readonly input: JsonObject;
  /** Name of the queue; empty where an ARN names it. */
  readonly queue: string;
}

const COMPATIBLE = {
  namespace: 'com.amazonaws.sqs',
  codes: { QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue' },
};

type QueueAction = (queue: Queue, input: JsonObject) => JsonObject;

/** SQS with queues that exist. Nothing waits: a receive answers at once, a move of messages has ended when it is answered. */
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
      const queue = nameIn(String(input['QueueUrl'] ?? input['QueueName'] ?? ''));
      const resource = String(input['SourceArn'] ?? arn(options, 'sqs', queue));
      return { action, permission: `sqs:${action}`, resource, input, queue };
    },
    async perform({ action, input, queue }, request) {
      if (action === 'StartMessageMoveTask') return jsonReply('1.0', moves.start(input));
      if (action === 'ListMessageMoveTasks') return jsonReply('1.0', moves.list(input));
      const address = `http://${request.headers.host}/${options.account}`;
      if (action === 'GetQueueUrl') return jsonReply('1.0', { QueueUrl: `${address}/${find(queue).name}` });
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
    SendMessage(queue, { MessageBody: body, DelaySeconds: delay, MessageAttributes: attributes = {} }) {
      if (typeof body !== 'string' || body === '') throw missing('MessageBody');
      const hiddenUntil = now() + Number(delay ?? queue.attributes['DelaySeconds']) * 1000;
      const { id } = queues.send(queue, { body, attributes: attributes as JsonObject, hiddenUntil });
      return { MessageId: id, MD5OfMessageBody: md5(body) };
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
    ChangeMessageVisibility(queue, input) {
      const until = now() + Number(input['VisibilityTimeout']) * 1000;
      if (queues.hide(queue, readHandle(input), until)) return {};
      const reason = 'Reason: Message does not exist or is not available for visibility timeout change.';
      throw invalid(`Value ${String(input['ReceiptHandle'])} for parameter ReceiptHandle is invalid. ${reason}`);
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

function missing(parameter: string): AwsError {
  return new AwsError(400, 'MissingParameter', `The request must contain the parameter ${parameter}.`);
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'InvalidParameterValue', message);
}
