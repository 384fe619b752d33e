import { expect, test } from '@jest/globals';
import { awsFailureText } from '../../../bin/ctl/aws-failure.ts';

const named = (name: string) => Object.assign(new Error('No.'), { name });

test.each([
  ['AccessDeniedException', 'AWS refuses you this.'],
  ['AuthorizationErrorException', 'AWS refuses you this.'],
  ['ThrottlingException', 'AWS asks for patience: try again in a minute.'],
  ['SlowDown', 'AWS asks for patience: try again in a minute.'],
  ['ResourceNotFoundException', 'It is not there: deleted, or of another account or region.'],
  ['NoSuchBucket', 'It is not there: deleted, or of another account or region.'],
  ['QueueDoesNotExist', 'It is not there: deleted, or of another account or region.'],
  ['ExpiredToken', 'The AWS credentials have expired. Log in again.'],
])('%s is said in words, and told as it was', (name, sentence) => {
  expect(awsFailureText(named(name))).toBe(`${sentence} (${name}: No.)`);
});

test('what has no words of its own is told as it was', () => {
  expect(awsFailureText(named('InternalFailure'))).toBe('InternalFailure: No.');
});
