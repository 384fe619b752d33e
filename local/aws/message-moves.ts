import { AwsError } from './aws-error.ts';
import type { JsonObject } from './json-protocol.ts';
import type { Queue, Queues } from './queues.ts';

export interface MessageMoves {
  /** @throws AwsError ResourceNotFoundException, InvalidParameterValue */
  start(input: JsonObject): JsonObject;
  /** @throws AwsError ResourceNotFoundException, InvalidParameterValue */
  list(input: JsonObject): JsonObject;
}

const MOST_RESULTS = 10;

/** Moves out of dead-letter queues. A task has ended before its start is answered. */
export function createMessageMoves(queues: Queues, now: () => number): MessageMoves {
  const tasks: { readonly source: string; readonly result: JsonObject }[] = [];
  const find = (input: JsonObject, member: 'SourceArn' | 'DestinationArn'): Queue => {
    const queue = queues.byArn(String(input[member]));
    if (queue) return queue;
    const message = `The resource that you specified for the ${member} parameter doesn't exist.`;
    throw new AwsError(404, 'ResourceNotFoundException', message);
  };
  return {
    start(input) {
      const source = find(input, 'SourceArn');
      if (queues.sourcesOf(source).length === 0)
        throw invalid('Source queue must be configured as a Dead Letter Queue.');
      const asked = input['DestinationArn'] === undefined ? undefined : find(input, 'DestinationArn');
      if (asked === source) throw invalid('Source queue arn and destination queue arn cannot be the same.');
      const destination = asked ? { DestinationArn: asked.arn } : {};
      const result = {
        SourceArn: source.arn,
        ...destination,
        StartedTimestamp: now(),
        ...move(queues, source, asked, now()),
      };
      tasks.unshift({ source: source.arn, result });
      return {
        TaskHandle: Buffer.from(JSON.stringify({ taskId: crypto.randomUUID(), sourceArn: source.arn })).toString(
          'base64',
        ),
      };
    },
    list(input) {
      const source = find(input, 'SourceArn');
      const { MaxResults: most = 1 } = input;
      if (Number(most) < 1 || Number(most) > MOST_RESULTS) {
        throw invalid(
          `Value for parameter MaxResults is invalid. Reason: Must be an integer from 1 to ${MOST_RESULTS}.`,
        );
      }
      return {
        Results: tasks
          .filter(task => task.source === source.arn)
          .slice(0, Number(most))
          .map(({ result }) => result),
      };
    },
  };
}

/** Messages go back to where they were given up, unless told where; one that was never given up ends the task. */
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
