import {
  ListSubscriptionsByTopicCommand,
  PublishCommand,
  paginateListSubscriptionsByTopic,
  SNSClient,
} from '@aws-sdk/client-sns';
import { expect, test } from '@jest/globals';
import { createSns, type LocalSubscription } from '../../../local/aws/sns.ts';
import { PLACE, type Served, served } from './served.ts';

const TopicArn = 'arn:aws:sns:us-east-1:000000000000:alarms';
const email = (endpoint: string, confirmed = true): LocalSubscription => ({ protocol: 'email', endpoint, confirmed });

interface Scene extends Served {
  readonly client: SNSClient;
  readonly subscriptions: LocalSubscription[];
}

async function scene(subscriptions: LocalSubscription[] = [], pageSize?: number): Promise<Scene> {
  const topics = [{ arn: TopicArn, subscriptions }];
  const each = await served(createSns({ ...PLACE, topics, ...(pageSize === undefined ? {} : { pageSize }) }));
  return { ...each, subscriptions, client: new SNSClient(each.config) };
}

test('a subscription has an ARN of its own once it is confirmed, and until then a word in its place', async () => {
  await using each = await scene([email('a@acme.example'), email('b&<@acme.example', false)]);
  const { Subscriptions } = await each.client.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
  const about = { Owner: PLACE.account, Protocol: 'email', TopicArn };
  expect(Subscriptions).toEqual([
    {
      ...about,
      Endpoint: 'a@acme.example',
      SubscriptionArn: expect.stringMatching(/^arn:aws:sns:.*:alarms:[0-9a-f-]+$/),
    },
    { ...about, Endpoint: 'b&<@acme.example', SubscriptionArn: 'PendingConfirmation' },
  ]);
  expect(each.permissions).toEqual([['sns:ListSubscriptionsByTopic', TopicArn]]);
});

test('a new subscription is listed, and a topic without subscriptions has an empty list', async () => {
  await using each = await scene();
  const all = async () => (await each.client.send(new ListSubscriptionsByTopicCommand({ TopicArn }))).Subscriptions;
  expect(await all()).toEqual([]);
  each.subscriptions.push(email('a@acme.example'));
  expect(await all()).toHaveLength(1);
});

test('lists come in pages; a token of no page is refused', async () => {
  await using each = await scene(
    ['a', 'b', 'c', 'd', 'e'].map(name => email(name)),
    2,
  );
  const pages: number[] = [];
  for await (const { Subscriptions } of paginateListSubscriptionsByTopic({ client: each.client }, { TopicArn })) {
    pages.push(Subscriptions!.length);
  }
  expect(pages).toEqual([2, 2, 1]);
  const wrong = each.client.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken: 'x' }));
  await expect(wrong).rejects.toMatchObject({ name: 'InvalidParameterException' });
});

test.each([
  ['that is gone', `${TopicArn}2`, 'NotFoundException', 404],
  ['of another account', TopicArn.replace('000000000000', '111122223333'), 'AuthorizationErrorException', 403],
  ['of another region', TopicArn.replace('us-east-1', 'eu-west-1'), 'InvalidParameterException', 400],
  ['that is no ARN', 'alarms', 'InvalidParameterException', 400],
])('a topic %s is refused', async (_, other, name, httpStatusCode) => {
  await using each = await scene();
  const asked = each.client.send(new ListSubscriptionsByTopicCommand({ TopicArn: other }));
  await expect(asked).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
});

test('what is not part of the endpoint is refused', async () => {
  await using each = await scene();
  const published = each.client.send(new PublishCommand({ TopicArn, Message: 'x' }));
  await expect(published).rejects.toMatchObject({ name: 'InvalidAction' });
});
