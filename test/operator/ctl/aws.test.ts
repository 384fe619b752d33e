import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { expect, test } from '@jest/globals';
import { collectItems, createAws } from '../../../bin/ctl/aws.ts';
import { awsAccountCheck } from '../../../bin/ctl/commands/doctor/account-checks.ts';
import { awsCall } from '../../../bin/ctl/errors.ts';
import { httpHarness } from '../../support/function/http-harness.ts';
import { rejection } from '../../support/function/rejection.ts';

test('only AWS clients for commands without their own retry loop retry', async () => {
  const aws = createAws({ region: 'eu-west-1' }, new AbortController().signal);
  const attempts = (client: { readonly config: { maxAttempts(): Promise<number> } }) => client.config.maxAttempts();

  expect([await attempts(aws.dynamodb()), await attempts(aws.invoker())]).toEqual([1, 1]);
  for (const client of [aws.retryingDynamodb(), aws.lambda()]) expect(await attempts(client)).toBeGreaterThan(1);
});

test('a connection that AWS does not accept is not blamed on permissions', async () => {
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'local' };
  const client = new STSClient({ endpoint: 'http://127.0.0.1:1', region: 'eu-west-1', credentials, maxAttempts: 1 });
  const { message } = await rejection(awsCall(client.send(new GetCallerIdentityCommand({})), 'The account'));
  expect(message).toBe(
    'The account: AWS did not answer: the connection failed (ECONNREFUSED). ' +
      'Check the network of this machine, then try again.\nNothing was changed.',
  );
});

test('a profile that does not exist is reported as missing credentials', async () => {
  const aws = createAws({ region: 'eu-west-1', profile: 'nobody' }, new AbortController().signal);
  const { message } = await rejection(awsCall(aws.sts().send(new GetCallerIdentityCommand({})), 'The account'));
  expect(message).toContain('No AWS credentials found.');
});

test('the account check notes by how much the clock of AWS is ahead of this machine', async () => {
  await using harness = await httpHarness(response => {
    response.writeHead(200, { date: new Date(3_600_000).toUTCString() }).end('<GetCallerIdentityResponse/>');
  });
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'local' };
  const client = new STSClient({ endpoint: harness.url, region: 'eu-west-1', credentials });
  const skews: number[] = [];

  const context = { aws: { sts: () => client }, clock: { now: () => 0 }, skews };
  expect(await awsAccountCheck.run(context as never)).toMatchObject({ status: 'ok' });
  expect(skews).toEqual([3_600_000]);
});

test('a paged answer of AWS is collected completely', async () => {
  async function* pages() {
    yield { items: [1, 2] };
    yield { items: undefined };
    yield { items: [3] };
  }
  expect(await collectItems(pages(), ({ items }) => items)).toEqual([1, 2, 3]);
});
