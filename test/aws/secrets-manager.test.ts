import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from '@jest/globals';
import { clientConfig, type Started, started } from './started.ts';

const SecretId = 'security-data-connector/credentials';

function clientOf(running: Started): SecretsManagerClient {
  return new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
}

describe('the secret', () => {
  test('is read by its name and by its ARN', async () => {
    await using running = await started({ secret: '{"client_id":"a"}' });
    const client = clientOf(running);
    for (const id of [SecretId, running.aws.secret.arn]) {
      expect(await client.send(new GetSecretValueCommand({ SecretId: id }))).toMatchObject({
        ARN: running.aws.secret.arn,
        Name: SecretId,
        SecretString: '{"client_id":"a"}',
        VersionStages: ['AWSCURRENT'],
      });
    }
  });

  test('has the new value after a rotation', async () => {
    await using running = await started({ secret: 'old' });
    running.aws.secret.put('new');
    const current = await clientOf(running).send(new GetSecretValueCommand({ SecretId }));
    expect(current.SecretString).toBe('new');
  });

  test('that is unknown or has no value is refused with ResourceNotFoundException', async () => {
    await using running = await started({ secret: undefined });
    const client = clientOf(running);
    await expect(client.send(new GetSecretValueCommand({ SecretId: 'other' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: "Secrets Manager can't find the specified secret.",
    });
    await expect(client.send(new GetSecretValueCommand({ SecretId }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
    });
  });
});

describe('a new value', () => {
  test('is read from then on', async () => {
    await using running = await started({ secret: 'old' });
    const client = clientOf(running);
    const put = await client.send(
      new PutSecretValueCommand({ SecretId: running.aws.secret.arn, SecretString: 'new ü' }),
    );
    expect(put).toMatchObject({ ARN: running.aws.secret.arn, Name: SecretId, VersionStages: ['AWSCURRENT'] });
    const current = await client.send(new GetSecretValueCommand({ SecretId }));
    expect(current.SecretString).toBe('new ü');
    expect(running.calls[0]).toMatchObject({
      permission: 'secretsmanager:PutSecretValue',
      resource: running.aws.secret.arn,
    });
  });

  test('for an unknown secret, without a text or beyond 64 KiB is refused without being quoted', async () => {
    await using running = await started({ secret: 'old' });
    const client = clientOf(running);
    const refusal = async (input: { SecretId: string; SecretString?: string }) => {
      const error: Error = await client.send(new PutSecretValueCommand(input)).then(
        () => new Error('taken'),
        reason => reason,
      );
      return [error.name, error.message.includes('canary')];
    };
    const long = (bytes: number) => `ücanary${'x'.repeat(bytes - 8)}`;
    expect(await refusal({ SecretId: 'other', SecretString: 'canary' })).toEqual(['ResourceNotFoundException', false]);
    expect(await refusal({ SecretId })).toEqual(['InvalidRequestException', false]);
    expect(await refusal({ SecretId, SecretString: long(65_537) })).toEqual(['ValidationException', false]);
    const current = await client.send(new GetSecretValueCommand({ SecretId }));
    expect(current.SecretString).toBe('old');
    expect(await refusal({ SecretId, SecretString: long(65_536) })).toEqual(['Error', false]);
  });
});
