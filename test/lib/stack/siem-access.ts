import { describe, expect, test } from '@jest/globals';
import { synthesize } from '../synth.ts';
import { joinedText, only, resources } from '../template.ts';
import { VARIANTS } from '../variants.ts';
import { actionsOf, identityStatements, resourcesOf, type Statement } from './policies.ts';

function role(options: object): Readonly<Record<string, unknown>> | undefined {
  const { Resources } = synthesize({ ...options });
  return Object.entries(Resources).find(([id]) => id.startsWith('ConnectorSiemReader') && !id.includes('Policy'))?.[1]
    .Properties;
}

function trust(options: object): Statement {
  return (role(options)!['AssumeRolePolicyDocument'] as { Statement: Statement[] }).Statement[0]!;
}

describe('new objects', () => {
  test('lie in a bucket whose name S3 takes, of the longest connector too, and differs with each creation of the stack', () => {
    const name = 'a'.repeat(32);
    const made = joinedText(only(synthesize({ name }), 'AWS::S3::Bucket')['BucketName']);
    expect(made).toBe(`sdc-${name}-51af3dc0-1234567db123`);
    expect(made).toMatch(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/);
  });

  test('wait for two weeks, and are set aside after ten tries', () => {
    const queues = resources(synthesize(), 'AWS::SQS::Queue').map(({ Properties }) => Properties);
    expect(queues).toContainEqual(
      expect.objectContaining({
        MessageRetentionPeriod: 1209600,
        RedrivePolicy: { deadLetterTargetArn: expect.anything(), maxReceiveCount: 10 },
      }),
    );
  });

  test.each([
    ['an endpoint takes the events', VARIANTS.splunk],
    ['somebody else looks after the stream', VARIANTS.existing],
    ['no queue is wanted', { siemQueue: false }],
  ])('cause no notification where %s', (_, options) => {
    const template = synthesize(options);
    expect(resources(template, 'AWS::SQS::Queue')).toHaveLength(1);
    expect(Object.keys(template.Outputs).filter(id => id.startsWith('Siem'))).toEqual([]);
  });
});

describe('a reader', () => {
  test('may read exactly the events and the queue', () => {
    const grants = identityStatements(synthesize())
      .filter(({ parent }) => parent.startsWith('ConnectorSiemReaderPolicy'))
      .map(({ statement }) => [actionsOf(statement), JSON.stringify(resourcesOf(statement))]);
    expect(grants).toEqual([
      [['s3:GetObject'], expect.stringMatching(/"\/events\/\*"/)],
      [
        [
          'sqs:ChangeMessageVisibility',
          'sqs:DeleteMessage',
          'sqs:GetQueueAttributes',
          'sqs:GetQueueUrl',
          'sqs:ReceiveMessage',
        ],
        expect.stringMatching(/ConnectorSiemAnnouncements/),
      ],
    ]);
  });

  test('may decrypt with the customer’s key, and not encrypt', () => {
    const uses = identityStatements(synthesize(VARIANTS.everyOption))
      .filter(({ parent }) => parent.startsWith('ConnectorSiemReaderPolicy'))
      .flatMap(({ statement }) => actionsOf(statement));
    expect(uses.filter(action => action.startsWith('kms:'))).toEqual(['kms:Decrypt']);
  });

  test('is no role until somebody is named, only a policy to attach', () => {
    expect(role({})).toBeUndefined();
    expect(resources(synthesize(), 'AWS::IAM::ManagedPolicy')).toHaveLength(1);
  });

  test('in another account presents the external id', () => {
    expect(trust(VARIANTS.everyOption)).toMatchObject({
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'sts:ExternalId': 'from-the-form' } },
    });
  });

  test('may be one role or user', () => {
    const principal = 'arn:aws:iam::444455556666:role/siem';
    const options = { siemReader: { type: 'external-id', principal, externalId: 'from-the-form' } };
    expect(trust(options).Principal).toEqual({ AWS: principal });
  });

  test('called Sentinel proves its workspace, under a role name that Sentinel accepts', () => {
    expect(role(VARIANTS.sentinel)).toMatchObject({ RoleName: 'OIDC_acme-eu-west-1' });
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

  test('called Sentinel uses the provider that the account has already', () => {
    const { createOidcProvider: _, ...siemReader } = VARIANTS.sentinel.siemReader;
    const options = { ...VARIANTS.sentinel, siemReader };
    expect(trust(options).Principal).toEqual({
      Federated: 'arn:aws:iam::111122223333:oidc-provider/sts.windows.net/33e01921-4d64-4f8c-a055-5bdaffd5e33d/',
    });
    expect(resources(synthesize(options), 'AWS::IAM::OIDCProvider')).toEqual([]);
  });

  test('finds in the outputs what its form asks for', () => {
    expect(
      Object.keys(synthesize(VARIANTS.sentinel).Outputs)
        .filter(id => id.startsWith('Siem'))
        .sort(),
    ).toEqual([
      'SiemDeadLetterQueueUrl',
      'SiemQueueArn',
      'SiemQueueUrl',
      'SiemReaderPolicyArn',
      'SiemReaderRoleArn',
      'SiemRegion',
    ]);
  });
});

test('an operator finds in the outputs what commands ask for', () => {
  expect(Object.keys(synthesize().Outputs)).toEqual(
    expect.arrayContaining([
      'AlarmTopicArn',
      'BucketName',
      'DeliveryStreamName',
      'FillCredentials',
      'FunctionName',
      'LogGroupName',
      'StateTableName',
    ]),
  );
});
