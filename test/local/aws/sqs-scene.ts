import { SQSClient } from '@aws-sdk/client-sqs';
import { createSqs, type SqsControls } from '../../../local/aws/sqs.ts';
import { PLACE, type Served, served } from './served.ts';

export interface SqsScene extends Omit<Served, 'url'> {
  readonly client: SQSClient;
  readonly controls: SqsControls;
  /** URL of a queue, of that name or no queue at all. */
  url(name: string): string;
  advance(seconds: number): void;
}

export function queueArn(name: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${name}`;
}

/** A queue, the queue that it gives up into after two receives, and one that has to do with neither. */
export async function sqsScene(): Promise<SqsScene> {
  let time = 1_000_000;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 2 });
  const { service, controls } = createSqs({
    ...PLACE,
    now: () => time,
    queues: [
      { name: 'main', attributes: { VisibilityTimeout: '600', RedrivePolicy } },
      { name: 'dead' },
      { name: 'apart' },
    ],
  });
  const each = await served(service);
  return {
    ...each,
    controls,
    client: new SQSClient(each.config),
    url: name => `${each.url}/${PLACE.account}/${name}`,
    advance(seconds) {
      time += seconds * 1000;
    },
  };
}
