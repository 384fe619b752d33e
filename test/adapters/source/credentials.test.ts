import { describe, expect, test } from '@jest/globals';
import { createCredentialsReader } from '../../../lambda/source/credentials.ts';
import { answerJson } from '../../../local/incidents/tampered-api.ts';
import { awsScene } from '../../support/function/aws-scene.ts';
import { httpHarness } from '../../support/function/http-harness.ts';
import { expectRejection, rejection } from '../../support/function/rejection.ts';

const SECRET = JSON.stringify({ client_id: 'id', client_secret: 'canary' });

async function scene(secret: string | undefined) {
  const aws = await awsScene({ secret });
  const credentials = createCredentialsReader(aws.clients.secrets, aws.aws.names.secret);
  const read = () => credentials.read(aws.retryBudget);
  return { ...aws, credentials, read };
}

describe('the client credentials', () => {
  test('the client credentials are read from the current content of the secret', async () => {
    await using each = await scene(SECRET);
    expect(await each.read()).toEqual({ clientId: 'id', clientSecret: 'canary' });
    each.aws.secret.put(JSON.stringify({ client_id: 'id', client_secret: 'rotated' }));
    expect(await each.read()).toEqual({ clientId: 'id', clientSecret: 'rotated' });
  });

  test.each([
    ['text that is not JSON', 'canary, not JSON'],
    ['a secret without client_secret', '{"client_id":"canary"}'],
    ['an empty client_secret', '{"client_id":"canary","client_secret":""}'],
  ])(
    'credentials from %s cause an error that names the expected form without quoting the secret',
    async (_what, secret) => {
      await using each = await scene(secret);
      await expectRejection(each.read(), 'CredentialsError', '{"client_id": "...", "client_secret": "..."}');
    },
  );

  test('an answer of Secrets Manager without SecretString is not reported as an empty secret', async () => {
    await using each = await scene(SECRET);
    await using server = await httpHarness(answerJson(200, { Name: 'secret', SecretBinary: 'Y2FuYXJ5' }));
    process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = server.url;
    await expectRejection(each.read(), 'CredentialsError', /SecretString.*Do not fill the secret/);
  });

  test.each([
    ['AccessDeniedException', 'secretsmanager:GetSecretValue'],
    ['ResourceNotFoundException', 'deleted'],
    ['InvalidRequestException', 'Do not'],
  ])('the error about %s from Secrets Manager does not advise to set the secret again', async (code, advice) => {
    await using each = await scene(SECRET);
    each.aws.faults.always('secretsmanager', { refuse: { status: 400, code, message: 'No.' } });
    const { message } = await rejection(each.read());
    expect(message).toContain(advice);
    expect(message).not.toContain('client_id');
  });
});
