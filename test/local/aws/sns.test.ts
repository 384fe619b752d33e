import { ListSubscriptionsByTopicCommand, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { expect, test } from '@jest/globals';
import { createSns, type LocalSubscription } from '../../../local/aws/sns.ts';
import { PLACE, type Served, served } from './served.ts';

const TopicArn = 'arn:aws:sns:us-east-1:000000000000:alarms';
const email = (endpoint: string, confirmed = true): LocalSubscription => ({ protocol: 'email', endpoint, confirmed });

interface Scene extends Served {
  readonly client: SNSClient;
  readonly subscriptions: LocalSubscription[];
}

async function scene(subscriptions: LocalSubscription[] = []): Promise<Scene> {
  const topics = [{ arn: TopicArn, subscriptions }];
  const each = await served(createSns({ ...PLACE, topics }));
  return { ...each, subscriptions, client: new SNSClient(each.config) };
}

test('a confirmed subscription has an ARN, and a pending one has the placeholder of SNS', async () => {
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

test.each([
  ['that was deleted', `${TopicArn}2`, 'NotFoundException', 404],
  ['of another account', TopicArn.replace('000000000000', '111122223333'), 'AuthorizationErrorException', 403],
])('a topic %s is refused', async (_, other, name, httpStatusCode) => {
  await using each = await scene();
  const asked = each.client.send(new ListSubscriptionsByTopicCommand({ TopicArn: other }));
  await expect(asked).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
});

test('an unsupported operation is refused', async () => {
  await using each = await scene();
  const published = each.client.send(new PublishCommand({ TopicArn, Message: 'x' }));
  await expect(published).rejects.toMatchObject({ name: 'InvalidAction' });
});
