import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { expect, test } from '@jest/globals';
import { collectItems, createAws, type PrepareClient } from '../../../bin/ctl/aws.ts';
import { awsAccountCheck } from '../../../bin/ctl/commands/doctor/account-checks.ts';
import { awsCall } from '../../../bin/ctl/errors.ts';
import { httpHarness } from '../../support/function/http-harness.ts';
import { rejection } from '../../support/function/rejection.ts';

test('AWS clients retry calls only for commands without a retry loop of their own', async () => {
  const aws = createAws({ region: 'eu-west-1' }, new AbortController().signal);
  const attempts = (client: { readonly config: { maxAttempts(): Promise<number> } }) => client.config.maxAttempts();

  for (const client of [aws.dynamodb(), aws.invoker()]) expect(await attempts(client)).toBe(1);
  for (const client of [aws.retryingDynamodb(), aws.lambda()]) expect(await attempts(client)).toBeGreaterThan(1);
});

const PLACE = { region: 'eu-west-1' };
const credentials = { accessKeyId: 'operator', secretAccessKey: 'local' };
const NO_PORT = 'http://127.0.0.1:1';
const { signal } = new AbortController();
const lendCredentials: PrepareClient = client => {
  Object.assign((client as STSClient).config, { credentials: async () => credentials });
};

test.each([
  [
    'the network',
    new STSClient({ ...PLACE, credentials, endpoint: NO_PORT, maxAttempts: 1 }),
    'AWS did not answer: the connection failed (ECONNREFUSED). Check the network of this machine, then try again.\nNothing was changed.',
  ],
  [
    'a proxy that cannot be reached',
    createAws(PLACE, signal, lendCredentials, { HTTPS_PROXY: NO_PORT }).sts(),
    'AWS was not reached: the proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED).',
  ],
  [
    'missing credentials of a profile',
    createAws({ ...PLACE, profile: 'nobody' }, signal).sts(),
    'No AWS credentials found.',
  ],
])('the error about a failed call to AWS names %s', async (_, client, words) => {
  const { message } = await rejection(awsCall(client.send(new GetCallerIdentityCommand({})), 'The account'));
  expect(message).toContain(words);
});

test("the account check notes how far the clock of AWS is ahead of this machine's clock", async () => {
  await using harness = await httpHarness(response => {
    response.writeHead(200, { date: new Date(3_600_000).toUTCString() }).end('<GetCallerIdentityResponse/>');
  });
  const client = new STSClient({ ...PLACE, credentials, endpoint: harness.url });
  const skews: number[] = [];

  const context = { aws: { sts: () => client }, clock: { now: () => 0 }, skews };
  expect(await awsAccountCheck.run(context as never)).toMatchObject({ status: 'ok' });
  expect(skews).toEqual([3_600_000]);
});

test('all pages of a paged answer of AWS are collected', async () => {
  async function* pages() {
    yield { items: [1, 2] };
    yield { items: undefined };
    yield { items: [3] };
  }
  expect(await collectItems(pages(), ({ items }) => items)).toEqual([1, 2, 3]);
});
