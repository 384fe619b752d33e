import { describe, expect, test } from '@jest/globals';
import { synthesize } from '../synth.ts';
import { joinedText, only, resources } from '../template.ts';
import { VARIANTS } from '../variants.ts';
import { actionsOf, resourcesOf, type Statement, statementsOf } from './policies.ts';

function role(options: object): Readonly<Record<string, unknown>> | undefined {
  const { Resources } = synthesize({ ...options });
  return Object.entries(Resources).find(([id]) => id.startsWith('ConnectorSiemReader') && !id.includes('Policy'))?.[1]
    .Properties;
}

function trust(options: object): Statement {
  return (role(options)!['AssumeRolePolicyDocument'] as { Statement: Statement[] }).Statement[0]!;
}

test('the bucket of a connector with the longest name has a valid name that changes with each creation', () => {
  const name = 'a'.repeat(32);
  const made = joinedText(only(synthesize({ name }), 'AWS::S3::Bucket')['BucketName']);
  expect(made).toBe(`sdc-${name}-51af3dc0-1234567db123`);
  expect(made).toMatch(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
});

describe('a reader', () => {
  test('a reader may read only the events and the queue', () => {
    const [objects, queue, ...others] = statementsOf(synthesize(), 'ConnectorSiemReaderPolicy');
    expect(others).toEqual([]);
    expect(actionsOf(objects!)).toEqual(['s3:GetObject']);
    expect(JSON.stringify(resourcesOf(objects!))).toContain('"/events/*"');
    const actions = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'];
    expect(actionsOf(queue!)).toEqual(actions.map(action => `sqs:${action}`));
    expect(JSON.stringify(resourcesOf(queue!))).toContain('ConnectorSiemAnnouncements');
  });

  test('a reader may decrypt with the customer’s key and must present its external id', () => {
    const uses = statementsOf(synthesize(VARIANTS.everyOption), 'ConnectorSiemReaderPolicy').flatMap(actionsOf);
    expect(uses.filter(action => action.startsWith('kms:'))).toEqual(['kms:Decrypt']);
    const Condition = { StringEquals: { 'sts:ExternalId': 'from-the-form' } };
    expect(trust(VARIANTS.everyOption)).toMatchObject({ Action: 'sts:AssumeRole', Condition });
  });

  test('a reader may be a single role or user', () => {
    const principal = 'arn:aws:iam::444455556666:role/siem';
    expect(trust({ siemReader: { ...VARIANTS.everyOption.siemReader, principal } }).Principal).toEqual({
      AWS: principal,
    });
  });

  test('the role of a reader for Sentinel has a name that Sentinel accepts, and trusts only its workspace', () => {
    expect(role(VARIANTS.sentinel)).toMatchObject({ RoleName: 'OIDC_acme-eu-west-1' });
    expect(synthesize(VARIANTS.sentinel).Outputs).toHaveProperty('SiemReaderRoleArn');
    const { workspaceId } = VARIANTS.sentinel.siemReader;
    expect(trust(VARIANTS.sentinel)).toMatchObject({
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: {
        StringEquals: {
          'sts.windows.net/33e01921-4d64-4f8c-a055-5bdaffd5e33d/:aud': 'api://1462b192-27f7-4cb9-8523-0f4ecb54b47e',
          'sts:RoleSessionName': expect.arrayContaining([`MicrosoftSentinel_${workspaceId}`]),
        },
      },
    });
    expect(resources(synthesize(VARIANTS.sentinel), 'AWS::IAM::OIDCProvider')).toHaveLength(1);
  });

  test('a reader for Sentinel uses the identity provider that already exists in the account', () => {
    const { createOidcProvider: _, ...siemReader } = VARIANTS.sentinel.siemReader;
    const options = { ...VARIANTS.sentinel, siemReader };
    expect(trust(options).Principal).toEqual({
      Federated: 'arn:aws:iam::111122223333:oidc-provider/sts.windows.net/33e01921-4d64-4f8c-a055-5bdaffd5e33d/',
    });
    expect(resources(synthesize(options), 'AWS::IAM::OIDCProvider')).toEqual([]);
  });
});

test('a stack whose outputs are off has no output, not even for the secrets', () => {
  expect(synthesize({ ...VARIANTS.splunk, outputs: false }).Outputs ?? {}).toEqual({});
});
