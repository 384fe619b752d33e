import {
  MISSING_QUERY_TOKEN,
  type QueryApi,
  type QueryOperation,
  queryRefusal,
  queryReply,
  readQueryRequest,
  type XmlValue,
} from './protocols.ts';
import { AwsError, cutPage, type Place } from './service.ts';
import type { Service } from './wire.ts';

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

export interface SnsOptions extends Place {
  /** Read at every call. */
  readonly topics: readonly LocalTopic[];
  /** Subscriptions in a page. @default 100 */
  readonly pageSize?: number;
}

const API: QueryApi = { version: '2010-03-31', namespace: 'http://sns.amazonaws.com/doc/2010-03-31/' };
const PAGE_SIZE = 100;

/** SNS with existing topics and their subscriptions. Nothing is sent. */
export function createSns(options: SnsOptions): Service<QueryOperation> {
  return {
    name: 'sns',
    unsigned: MISSING_QUERY_TOKEN,
    understand(request) {
      const { action, input } = readQueryRequest(request, API, ['ListSubscriptionsByTopic']);
      return { action, permission: `sns:${action}`, resource: input.get('TopicArn') ?? '*', input };
    },
    perform: async ({ action, input }) => queryReply(API, action, subscriptionsXml(options, input)),
    refusal: error => queryRefusal(API, error),
  };
}

function subscriptionsXml(options: SnsOptions, input: URLSearchParams): XmlValue {
  const topic = findTopic(options, input.get('TopicArn') ?? '');
  const token = input.get('NextToken') ?? undefined;
  const refusal = invalid('Invalid parameter: NextToken Reason: the token is not one of this service');
  const all = topic.subscriptions.map((each, place) => subscriptionXml(options, topic.arn, each, place));
  const { items, nextToken } = cutPage(all, options.pageSize ?? PAGE_SIZE, token, refusal);
  return { Subscriptions: items, NextToken: nextToken };
}

/** A topic of another account is refused, whether it exists or not. */
function findTopic({ region, account, topics }: SnsOptions, arn: string): LocalTopic {
  const [, , service, topicRegion, topicAccount, name] = arn.split(':');
  if (service !== 'sns' || topicRegion !== region || !name) throw invalid('Invalid parameter: TopicArn');
  if (topicAccount !== account) {
    const message = `User: arn:aws:iam::${account}:user/operator is not authorized to perform: SNS:ListSubscriptionsByTopic on resource: ${arn} because no resource-based policy allows the SNS:ListSubscriptionsByTopic action`;
    throw new AwsError(403, 'AuthorizationError', message);
  }
  const found = topics.find(each => each.arn === arn);
  if (found) return found;
  throw new AwsError(404, 'NotFound', 'Topic does not exist');
}

/** A subscription has an ARN once it is confirmed, and this placeholder before. */
function subscriptionXml(
  { account }: Place,
  topicArn: string,
  { protocol, endpoint, confirmed }: LocalSubscription,
  place: number,
): XmlValue {
  const id = `10ca1000-0000-4000-8000-${String(place).padStart(12, '0')}`;
  return {
    SubscriptionArn: confirmed ? `${topicArn}:${id}` : 'PendingConfirmation',
    Owner: account,
    Protocol: protocol,
    Endpoint: endpoint,
    TopicArn: topicArn,
  };
}

function invalid(message: string): AwsError {
  return new AwsError(400, 'InvalidParameter', message);
}
