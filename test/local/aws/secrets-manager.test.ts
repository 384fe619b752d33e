import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from '@jest/globals';
import { clientConfig, started } from './started.ts';

const SecretId = 'security-data-connector/credentials';

describe('the secret', () => {
  test('is read by its name and by its ARN', async () => {
    await using running = await started({ secret: '{"client_id":"a"}' });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
    for (const id of [SecretId, running.aws.secret.arn]) {
      expect(await client.send(new GetSecretValueCommand({ SecretId: id }))).toMatchObject({
        ARN: running.aws.secret.arn,
        Name: SecretId,
        SecretString: '{"client_id":"a"}',
        VersionStages: ['AWSCURRENT'],
        CreatedDate: expect.any(Date),
      });
    }
  });

  test('a rotation makes the new value current and the one before previous', async () => {
    await using running = await started({ secret: 'old' });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
    running.aws.secret.put('new');
    const current = await client.send(new GetSecretValueCommand({ SecretId }));
    const previous = await client.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' }));
    expect([current.SecretString, previous.SecretString]).toEqual(['new', 'old']);
    const byVersion = await client.send(new GetSecretValueCommand({ SecretId, VersionId: previous.VersionId }));
    expect(byVersion).toMatchObject({ SecretString: 'old', VersionStages: ['AWSPREVIOUS'] });
  });

  test('an unknown secret and a secret without a value are each refused with ResourceNotFoundException', async () => {
    await using running = await started({ secret: undefined });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
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
