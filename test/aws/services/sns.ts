import { AwsError, type ResourcePlace } from '../../../local/aws/service.ts';
import { type QueryApi, type QueryOperation, queryService, type XmlValue } from '../protocols.ts';
import type { Service } from '../wire.ts';

export interface LocalSubscription {
  /** For example `email`. */
  readonly protocol: string;
  readonly endpoint: string;
  /** Until the recipient confirms, nothing is sent. */
  readonly confirmed: boolean;
}

export interface LocalTopic {
  readonly arn: string;
  /** Read at every call, so changes take effect at once. */
  readonly subscriptions: LocalSubscription[];
}

export interface SnsOptions extends ResourcePlace {
  /** Read at every call. */
  readonly topics: readonly LocalTopic[];
}

const API: QueryApi = { version: '2010-03-31', namespace: 'http://sns.amazonaws.com/doc/2010-03-31/' };

/** SNS with existing topics and their subscriptions. Nothing is sent. */
export function createSns(options: SnsOptions): Service<QueryOperation> {
  return queryService({
    name: 'sns',
    api: API,
    actions: ['ListSubscriptionsByTopic'],
    resource: input => input.get('TopicArn') ?? '*',
    answer: input => subscriptionsXml(options, input.get('TopicArn') ?? ''),
  });
}

/** A topic of another account is refused, whether it exists or not. */
function subscriptionsXml({ account, topics }: SnsOptions, topicArn: string): XmlValue {
  if (topicArn.split(':')[4] !== account) {
    const message = `User: arn:aws:iam::${account}:user/operator is not authorized to perform: SNS:ListSubscriptionsByTopic on resource: ${topicArn} because no resource-based policy allows the SNS:ListSubscriptionsByTopic action`;
    throw new AwsError(403, 'AuthorizationError', message);
  }
  const topic = topics.find(({ arn }) => arn === topicArn);
  if (!topic) throw new AwsError(404, 'NotFound', 'Topic does not exist');
  return {
    Subscriptions: topic.subscriptions.map(({ protocol, endpoint, confirmed }, place) => ({
      // Until it is confirmed, a subscription has no ARN.
      SubscriptionArn: confirmed
        ? `${topicArn}:10ca1000-0000-4000-8000-${String(place).padStart(12, '0')}`
        : 'PendingConfirmation',
      Owner: account,
      Protocol: protocol,
      Endpoint: endpoint,
      TopicArn: topicArn,
    })),
  };
}
