import type { Deployment } from './deployment.ts';

/** The name at the end of a queue's URL. */
export function sqsQueueName(url = ''): string {
  return url.split('/').at(-1) ?? '';
}

/** Message attributes that EventBridge Scheduler adds to a start that Lambda refused. */
export const REFUSED_START = {
  ERROR_CODE: { DataType: 'String', StringValue: 'AccessDeniedException' },
  ERROR_MESSAGE: { DataType: 'String', StringValue: 'The role may not perform lambda:InvokeFunction on the function.' },
  RETRY_ATTEMPTS: { DataType: 'String', StringValue: '2' },
};

/** A start that could not be handed over. */
export function startLost({ stack }: Deployment, body: string, attributes: object = REFUSED_START, sent = Date.now()) {
  const queue = sqsQueueName(stack.outputs['ScheduleDeadLetterQueueUrl']);
  stack.queues.send(queue, { body, attributes: { ...attributes }, sent });
}
