import { paginateListSubscriptionsByTopic } from '@aws-sdk/client-sns';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

/** Who has subscribed to a topic, by kind: `email`, `https`, … Addresses stay where they are. */
export interface Subscriptions {
  readonly confirmed: readonly string[];
  /** Nothing is sent to these yet. */
  readonly pending: readonly string[];
}

/** Why SNS does not say. */
export type Refusal = 'gone' | 'refused';

/** @returns why not, where SNS refuses to say @throws AwsCallError */
export async function readSubscriptions(aws: Aws, topicArn: string): Promise<Subscriptions | Refusal> {
  const confirmed: string[] = [];
  const pending: string[] = [];
  try {
    for await (const page of paginateListSubscriptionsByTopic({ client: aws.sns() }, { TopicArn: topicArn })) {
      for (const { SubscriptionArn: arn = '', Protocol: protocol = 'unknown' } of page.Subscriptions ?? []) {
        // In the place of an ARN stands why there is none: "PendingConfirmation", or "Deleted" for a while afterwards.
        if (arn.startsWith('arn:')) confirmed.push(protocol);
        else if (arn !== 'Deleted') pending.push(protocol);
      }
    }
    return { confirmed, pending };
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotFoundException') return 'gone';
    if (name === 'AuthorizationErrorException') return 'refused';
    const advice = `You need ${PERMISSION} on it.`;
    throw new AwsCallError(`Who has subscribed to ${topicArn} could not be read`, advice, cause);
  }
}

export const PERMISSION = 'sns:ListSubscriptionsByTopic';
