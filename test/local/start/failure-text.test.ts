import { expect, test } from '@jest/globals';
import { failureText, stateFailureText } from '../../../local/start/failure-text.ts';

function fileError(code: string): Error {
  return Object.assign(new Error(`${code}: some reason, write`), { code });
}

test.each([
  ['ENOSPC', 'free some space'],
  ['EACCES', 'writable for this user'],
  ['EMFILE', 'ulimit -n'],
  ['EIO', '--reset'],
])('a failure of the file system is reported with folder, cause and remedy: %s', (code, remedy) => {
  const lines = stateFailureText(fileError(code), '/state/local')!.split('\n');
  expect(lines).toEqual([
    expect.stringContaining(`The state in /state/local cannot be read or written (${code}: some reason, write).`),
    expect.stringContaining(remedy),
  ]);
});

test('a failure of the file system with an unknown code refers to the path in its message', () => {
  const error = Object.assign(fileError('ENOTDIR'), { path: '/state/local/s3' });
  expect(stateFailureText(error, '/state/local')).toContain('Repair the path that the message names');
});

test('refused credentials are reported with the option and the variable that supply them', () => {
  const error = new Error('\n  assets, threats: CredentialsError: The token endpoint refused the credentials.');
  expect(failureText(error, false)).toContain('--client-id and of CLIENT_SECRET');
});

test('a failure of the network is not reported as a failure of the file system', () => {
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', address: '127.0.0.1' });
  expect(stateFailureText(error, '/state/local')).toBeUndefined();
});
