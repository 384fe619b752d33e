import { expect, test } from '@jest/globals';
import { awsFailureText } from '../../../bin/ctl/aws-failure.ts';
import { FunctionFailedError, messageOf } from '../../../bin/ctl/errors.ts';
import {
  ApiRefusedError,
  ApiUnavailableError,
  CredentialsError,
  OutOfTimeError,
  PageTimeoutError,
  RoleMissingError,
} from '../../../lambda/core/errors.ts';

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

test.each([
  [new ApiUnavailableError('/v1/assets', 'the connection failed (ECONNREFUSED)'), 'Check the network of this machine'],
  [new ApiRefusedError('/v1/assets', 400), 'Check baseUrl'],
  [
    new CredentialsError('The token endpoint refused the client credentials (401).'),
    'npm run connectorctl -- set-credentials',
  ],
  [new OutOfTimeError('while waiting'), 'Try again in a minute.'],
  [new PageTimeoutError('/v1/assets', 30_000), 'Try again in a minute.'],
  [new RoleMissingError('/v1/assets'), 'for the role that /v1/assets requires'],
])('a command that only reads says of %p that nothing was changed, and promises no next run', (error, advice) => {
  const [what, remedy = ''] = messageOf(error).split('\n');
  expect(error.message.startsWith(what!)).toBe(true);
  expect(remedy).toMatch(/^Nothing was changed\./);
  expect(remedy).toContain(advice);
  expect(messageOf(error)).not.toMatch(/next run|checkpoint/);
});

test('what the function said of its own run stays as it was said', () => {
  const { message } = new ApiUnavailableError('/v1/assets', 'the connection failed (ECONNREFUSED)');
  expect(messageOf(new FunctionFailedError('ApiUnavailableError', message))).toContain('The next run goes on');
});
