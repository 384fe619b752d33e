import { AwsError } from './aws-error.ts';
import type { Operation } from './operation.ts';
import { cutPage } from './page.ts';
import type { Place } from './place.ts';
import { MISSING_QUERY_TOKEN, type QueryApi, queryRefusal, queryReply, readQueryRequest } from './query-protocol.ts';
import type { Service } from './wire.ts';
import type { XmlValue } from './xml.ts';

export interface LocalSubscription {
  /** For example `email`. */
  readonly protocol: string;
  readonly endpoint: string;
  /** Whether the endpoint's owner has agreed: until then nothing is sent there. */
  readonly confirmed: boolean;
}

export interface LocalTopic {
  readonly arn: string;
  /** Read at every call: what is put in or taken out is so at once. */
  readonly subscriptions: LocalSubscription[];
}

export interface SnsOptions extends Place {
  /** Read at every call. */
  readonly topics: readonly LocalTopic[];
  /** Subscriptions in a page. @default 100 */
  readonly pageSize?: number;
}

interface SnsOperation extends Operation {
  readonly input: URLSearchParams;
}

const API: QueryApi = { version: '2010-03-31', namespace: 'http://sns.amazonaws.com/doc/2010-03-31/' };
const PAGE_SIZE = 100;

/** SNS with topics that exist, and who has subscribed to them. Nothing is sent to anybody. */
export function createSns(options: SnsOptions): Service<SnsOperation> {
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

/** What belongs to another account is refused, whether it is there or not. */
function findTopic({ region, account, topics }: SnsOptions, arn: string): LocalTopic {
  const [, , service, topicRegion, owner, name] = arn.split(':');
  if (service !== 'sns' || topicRegion !== region || !name) throw invalid('Invalid parameter: TopicArn');
  if (owner !== account) {
    const message = `User: arn:aws:iam::${account}:user/operator is not authorized to perform: SNS:ListSubscriptionsByTopic on resource: ${arn} because no resource-based policy allows the SNS:ListSubscriptionsByTopic action`;
    throw new AwsError(403, 'AuthorizationError', message);
  }
  const found = topics.find(each => each.arn === arn);
  if (found) return found;
  throw new AwsError(404, 'NotFound', 'Topic does not exist');
}

/** A subscription has an ARN of its own only once it is confirmed; until then this word stands there. */
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
