import { expect, test } from '@jest/globals';
import { notificationsOf } from '../../../local/deployment/parts.ts';
import type { References } from '../../../local/deployment/template.ts';

const references: References = { ref: id => id.toLowerCase(), attribute: (id, name) => `${id}.${name}` };

function ofBucket(NotificationConfiguration: unknown) {
  const Data = { Type: 'AWS::S3::Bucket', Properties: { NotificationConfiguration } };
  const Answers = { Type: 'AWS::S3::Bucket', Properties: {} };
  return notificationsOf({ Resources: { Data, Answers } }, references);
}

test('buckets have the notifications of their template, with filters in any case', () => {
  const Event = 's3:ObjectCreated:*';
  const Filter = {
    S3Key: {
      Rules: [
        { Name: 'Prefix', Value: 'events/' },
        { Name: 'suffix', Value: '.gz' },
      ],
    },
  };
  const found = ofBucket({
    QueueConfigurations: [{ Event, Queue: { 'Fn::GetAtt': ['Queue', 'Arn'] }, Filter }],
  });
  expect([...found]).toEqual([
    [
      'data',
      {
        entries: [{ arn: 'Queue.Arn', events: [Event], prefix: 'events/', suffix: '.gz' }],
      },
    ],
  ]);
});
