import { expect, test } from '@jest/globals';
import { AwsCallError, awsFailureText, FunctionFailedError, printedMessage } from '../../../bin/ctl/errors.ts';
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
  ['AccessDeniedException', 'Access denied.'],
  ['AuthorizationErrorException', 'Access denied.'],
  ['ThrottlingException', 'AWS throttles these requests.'],
  ['SlowDown', 'AWS throttles these requests.'],
  ['ResourceNotFoundException', 'It does not exist: '],
  ['NoSuchBucket', 'It does not exist: '],
  ['QueueDoesNotExist', 'It does not exist: '],
  ['ExpiredToken', 'The AWS credentials have expired. Log in again.'],
  ['InternalFailure', ''],
])('the error %s is printed with its name, its message and an explanation: %s', (name, sentence) => {
  expect(awsFailureText(named(name))).toMatch(new RegExp(`^${sentence}.*\\b${name}: No\\.`));
});

test('the error about a missing resource only advises how to restore the resource', () => {
  const error = (name: string) => new AwsCallError('The queue q could not be read', named(name)).message;
  expect(error('QueueDoesNotExist')).toMatch(/It does not exist: [^\n]*\n[^\n]*--revert-drift/);
  expect(error('QueueDoesNotExist')).not.toContain('Nothing was changed');
  expect(error('AccessDenied')).toContain('Nothing was changed.');
});

test('a failure that several streams have is printed once, after the names of the streams', () => {
  const said =
    '3 of 3 streams failed. assets: StateError: No. | threats: DeliveryError: No: 5 | dns-blocks: StateError: No.';
  expect(new FunctionFailedError('StreamsFailedError', said).message).toBe(
    'The function failed.\nStreamsFailedError: 3 of 3 streams failed.\n  assets, dns-blocks: StateError: No.\n  threats: DeliveryError: No: 5',
  );
  expect(new FunctionFailedError('StateError', 'No.').message).toBe('The function failed.\nStateError: No.');
});

test.each([
  [new ApiUnavailableError('/v1/assets', 'the connection failed (ECONNREFUSED)'), 'check the network of this machine'],
  [new ApiUnavailableError('/v1/assets', 'it answered 503'), 'Try again in a minute.'],
  [new ApiRefusedError('/v1/assets', 400), 'Check baseUrl'],
  [new CredentialsError('The token endpoint refused the client.'), 'npm run connectorctl -- set-credentials'],
  [new OutOfTimeError('while waiting'), 'runs wait for it and lose nothing'],
  [new PageTimeoutError('/v1/assets', 30_000), 'Try again in a minute.'],
  [new RoleMissingError('/v1/assets'), 'for the role that /v1/assets requires'],
])('a command reports %p with its advice and does not mention the next run', (error, advice) => {
  const [what, remedy = ''] = printedMessage(error).split('\n');
  expect(error.message.startsWith(what!)).toBe(true);
  expect(remedy).toMatch(/^Nothing was changed\./);
  expect(remedy).toContain(advice);
  expect(printedMessage(error)).not.toMatch(/next run|checkpoint/);
});

test('the message of the function’s error is printed unchanged', () => {
  const { message } = new ApiUnavailableError('/v1/assets', 'the connection failed (ECONNREFUSED)');
  expect(printedMessage(new FunctionFailedError('ApiUnavailableError', message))).toContain('The next run');
});

test('a call that AWS denies is reported in the words of AWS, which name action and resource', () => {
  const cause = Object.assign(named('AccessDenied'), { message: 'not authorized to perform: sqs:X on resource: q' });
  const { message } = new AwsCallError('The queue q could not be read', cause);
  expect(message).toMatch(
    /Access denied\. \(AccessDenied: not authorized to perform: sqs:X on resource: q\)\nNothing was changed\.$/,
  );
});

test('the error about an unknown certificate names the variable that adds its authority', () => {
  const refused = Object.assign(new Error('unable'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  expect(awsFailureText(refused)).toMatch(
    /^AWS was not reached: .*\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\).* NODE_EXTRA_CA_CERTS/,
  );
});
