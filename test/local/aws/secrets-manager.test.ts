import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
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

describe('a new value', () => {
  test('is what is read from then on; the one before is the previous', async () => {
    await using running = await started({ secret: 'old' });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
    const put = await client.send(
      new PutSecretValueCommand({ SecretId: running.aws.secret.arn, SecretString: 'new ü' }),
    );
    expect(put).toMatchObject({ ARN: running.aws.secret.arn, Name: SecretId, VersionStages: ['AWSCURRENT'] });
    const current = await client.send(new GetSecretValueCommand({ SecretId }));
    expect(current).toMatchObject({ SecretString: 'new ü', VersionId: put.VersionId });
    const previous = await client.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' }));
    expect(previous.SecretString).toBe('old');
    expect(running.calls[0]).toMatchObject({
      permission: 'secretsmanager:PutSecretValue',
      resource: running.aws.secret.arn,
    });
  });

  test('put twice under one token is one version; another value under that token is refused', async () => {
    await using running = await started({ secret: 'old' });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
    const ClientRequestToken = 'a'.repeat(32);
    const put = (SecretString: string) =>
      client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }));
    expect((await put('new')).VersionId).toBe(ClientRequestToken);
    await put('new');
    const previous = await client.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' }));
    expect(previous.SecretString).toBe('old');
    await expect(put('newer')).rejects.toMatchObject({ name: 'ResourceExistsException' });
  });

  test('for an unknown secret, without a text or beyond 64 KiB is refused without being quoted', async () => {
    await using running = await started({ secret: 'old' });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
    const refusal = async (input: { SecretId: string; SecretString?: string }) => {
      const error: Error = await client.send(new PutSecretValueCommand(input)).then(
        () => new Error('taken'),
        reason => reason,
      );
      return [error.name, error.message.includes('canary')];
    };
    const long = 'canary'.repeat(11_000);
    expect(await refusal({ SecretId: 'other', SecretString: 'canary' })).toEqual(['ResourceNotFoundException', false]);
    expect(await refusal({ SecretId })).toEqual(['InvalidRequestException', false]);
    expect(await refusal({ SecretId, SecretString: long })).toEqual(['ValidationException', false]);
    const current = await client.send(new GetSecretValueCommand({ SecretId }));
    expect(current.SecretString).toBe('old');
  });
});

describe('DescribeSecret', () => {
  test('returns the versions and the time of the last change, never the value', async () => {
    let now = 1_000_000;
    await using running = await started({ secret: 'old', now: () => now });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
    now = 2_000_000;
    running.aws.secret.put('canary');
    const described = await client.send(new DescribeSecretCommand({ SecretId }));
    expect(described).toMatchObject({
      ARN: running.aws.secret.arn,
      Name: SecretId,
      CreatedDate: new Date(1_000_000),
      LastChangedDate: new Date(2_000_000),
    });
    expect(Object.values(described.VersionIdsToStages!).sort()).toEqual([['AWSCURRENT'], ['AWSPREVIOUS']]);
    expect(JSON.stringify(described)).not.toContain('canary');
  });

  test('returns no versions for a secret without a value, and refuses an unknown secret', async () => {
    await using running = await started({ secret: undefined });
    const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
    const described = await client.send(new DescribeSecretCommand({ SecretId }));
    expect([described.VersionIdsToStages, described.LastChangedDate]).toEqual([undefined, undefined]);
    await expect(client.send(new DescribeSecretCommand({ SecretId: 'other' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

test('a secret of 65,536 bytes is taken, and one of a byte more is refused', async () => {
  await using running = await started({ secret: 'old' });
  const client = new SecretsManagerClient(clientConfig(running.aws, 'SECRETS_MANAGER'));
  const put = (bytes: number) =>
    client.send(new PutSecretValueCommand({ SecretId, SecretString: `ü${'x'.repeat(bytes - 2)}` }));
  expect(await put(65_536)).toMatchObject({ VersionStages: ['AWSCURRENT'] });
  await expect(put(65_537)).rejects.toMatchObject({ name: 'ValidationException' });
});
