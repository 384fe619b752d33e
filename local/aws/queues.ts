import { arn, type Place } from './place.ts';

/** A queue as the caller wants it: its own settings, by the names of its attributes. */
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
  /** ARN of the queue that gave the message up. */
  readonly sourceArn: string | undefined;
  /** Hidden until then: delayed when it was never received, in flight otherwise. */
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
  /** Queues that give up into this one. */
  sourcesOf(queue: Queue): Queue[];
  /** What has not outlived its retention, oldest first. */
  messages(queue: Queue): readonly QueueMessage[];
  send(queue: Queue, message: Partial<QueueMessage> & { readonly body: string }): QueueMessage;
  remove(queue: Queue, ids: ReadonlySet<string>): void;
  /** @returns whether the message is still there */
  hide(queue: Queue, id: string, until: number): boolean;
  /** Hides what it returns; what was received too often before goes to the dead-letter queue instead. */
  receive(queue: Queue, most: number, visibilitySeconds: number | undefined): QueueMessage[];
}

const DEFAULTS: Readonly<Record<string, string>> = {
  DelaySeconds: '0',
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

/** Standard queues in memory. They keep the order of arrival, which SQS does not promise. */
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
      const untold = { sourceArn: undefined, receives: 0, firstReceived: undefined };
      const sent = { id: crypto.randomUUID(), sent: now(), attributes: {}, hiddenUntil: 0, ...untold, ...message };
      queue.messages.push(sent);
      return sent;
    },
    remove,
    hide(queue, id, until) {
      change(queue, id, { hiddenUntil: until });
      return queue.messages.some(each => each.id === id);
    },
    receive(queue, most, visibilitySeconds) {
      const { deadLetterTargetArn: target = '', maxReceiveCount = Number.POSITIVE_INFINITY } = redriveOf(queue) ?? {};
      const deadLetters = byArn(target);
      const visible = messages(queue).filter(({ hiddenUntil }) => hiddenUntil <= now());
      const exhausted = deadLetters ? visible.filter(({ receives }) => receives >= maxReceiveCount) : [];
      for (const message of exhausted) giveUp(queue, deadLetters!, message);
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
