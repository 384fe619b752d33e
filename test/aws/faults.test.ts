import { expect, test } from '@jest/globals';
import { THROTTLING_FAULTS } from '../../local/aws/faults.ts';

/** DynamoDB: of a table on demand. A program that retries by the code must meet the one that AWS sends. */
test('each service throttles with the status and the code of its documentation', () => {
  const answers = Object.entries(THROTTLING_FAULTS).map(([service, { refuse }]) => [
    service,
    `${refuse.status} ${refuse.code}`,
  ]);
  expect(Object.fromEntries(answers)).toMatchObject({
    cloudformation: '400 Throttling',
    cloudwatch: '400 ThrottlingException',
    dynamodb: '400 ThrottlingException',
    iam: '400 Throttling',
    lambda: '429 TooManyRequestsException',
    s3: '503 SlowDown',
    scheduler: '429 ThrottlingException',
    secretsmanager: '400 ThrottlingException',
  });
});
