import { describe, expect, test } from '@jest/globals';
import { type Environment, Stack } from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import { createApp, synthesize } from '../synth.ts';
import { only, resources } from '../template.ts';
import { BOUNDARY_ARN, KEY_ARN, VARIANT_NAMES, VARIANTS } from '../variants.ts';
import { construct } from './construct.ts';
import { actionsOf, identityStatements, resourcesOf, type Statement } from './policies.ts';

const FIREHOSE = 'AWS::KinesisFirehose::DeliveryStream';

const ALL_BLOCKED = {
  BlockPublicAcls: true,
  BlockPublicPolicy: true,
  IgnorePublicAcls: true,
  RestrictPublicBuckets: true,
};

describe.each(VARIANT_NAMES)('the stack in the variant %s', name => {
  const template = synthesize(VARIANTS[name]);
  const text = JSON.stringify(template);

  test('trusts services and the named reader, nobody else', () => {
    const principals = resources(template, 'AWS::IAM::Role').map(({ Properties }) => {
      const { Statement } = Properties['AssumeRolePolicyDocument'] as { Statement: Statement[] };
      return Object.keys(Statement[0]!.Principal as object)[0];
    });
    const readers = principals.filter(principal => principal !== 'Service');
    expect(readers).toHaveLength(/"siemReader"|"reader"/.test(JSON.stringify(VARIANTS[name])) ? 1 : 0);
  });

  test.each([
    ['scheduler', ['aws:SourceAccount']],
    ['firehose', ['aws:SourceAccount', 'sts:ExternalId']],
  ])('lets %s assume its role only for resources of this account', (service, keys) => {
    const trusts = resources(template, 'AWS::IAM::Role').flatMap(
      ({ Properties }) => (Properties['AssumeRolePolicyDocument'] as { Statement: Statement[] }).Statement,
    );
    const own = trusts.filter(({ Principal }) => JSON.stringify(Principal).includes(`${service}.amazonaws.com`));
    // A delivery stream that is given has its own role.
    const expected = service === 'firehose' && resources(template, FIREHOSE).length === 0 ? [] : keys;
    const account = (key: string) =>
      expect.stringMatching(`^{"StringEquals":{"${key}":({"Ref":"AWS::AccountId"}|"\\d{12}")[,}]`);
    expect(own.map(({ Condition }) => JSON.stringify(Condition))).toEqual(expected.map(account));
    if (service === 'scheduler') expect(JSON.stringify(own)).toContain(':schedule-group/default');
  });

  test('keeps table, bucket and secrets when it is deleted, unless the configuration says otherwise', () => {
    const kept = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret'];
    const policies = kept.flatMap(type =>
      resources(template, type).map(({ DeletionPolicy, UpdateReplacePolicy }) => [DeletionPolicy, UpdateReplacePolicy]),
    );
    const expected = name === 'http' ? ['Delete'] : ['Retain', 'RetainExceptOnCreate'];
    expect(policies.flat().filter(policy => !expected.includes(policy!))).toEqual([]);
    const tables = resources(template, 'AWS::DynamoDB::Table');
    expect(tables).toHaveLength('stateTableArn' in VARIANTS[name] ? 0 : 1);
    for (const { Properties } of tables) expect(Properties['DeletionProtectionEnabled']).toBe(name !== 'http');
  });

  test('leaves nothing behind when its creation fails, but for the table that DynamoDB refuses to delete', () => {
    const left = Object.values(template.Resources).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
    const tables = resources(template, 'AWS::DynamoDB::Table').map(({ Type }) => Type);
    expect(left.map(({ Type }) => Type)).toEqual(name === 'http' ? [] : tables);
  });

  test('refuses TLS older than 1.2 at every bucket', () => {
    const refusals = resources(template, 'AWS::S3::BucketPolicy').map(({ Properties }) =>
      (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement.flatMap(({ Effect, Condition }) =>
        Effect === 'Deny' ? (Condition?.['NumericLessThan']?.['s3:TlsVersion'] ?? []) : [],
      ),
    );
    expect(refusals).toEqual(resources(template, 'AWS::S3::Bucket').map(() => [1.2]));
  });

  test('encrypts, versions and cleans up its bucket, and opens it to nobody', () => {
    const logs = {
      Prefix: 'log/',
      Status: 'Enabled',
      NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      ExpirationInDays: 1,
    };
    const rule = expect.objectContaining({
      Status: 'Enabled',
      NoncurrentVersionExpiration: { NoncurrentDays: 30 },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      ExpirationInDays: expect.any(Number),
    });
    for (const { Properties } of resources(template, 'AWS::S3::Bucket')) {
      expect(Properties).toMatchObject({
        LifecycleConfiguration: { Rules: [logs, rule] },
        PublicAccessBlockConfiguration: ALL_BLOCKED,
        BucketEncryption: expect.anything(),
        VersioningConfiguration: { Status: 'Enabled' },
      });
    }
  });

  test('encrypts every queue', () => {
    const queues = resources(template, 'AWS::SQS::Queue').map(({ Properties }) => Properties['SqsManagedSseEnabled']);
    expect(queues.filter(encrypted => encrypted !== true)).toEqual([]);
  });

  test('keeps logs for a time and not for ever', () => {
    const days = resources(template, 'AWS::Logs::LogGroup').map(({ Properties }) => Properties['RetentionInDays']);
    expect(days.filter(kept => kept !== (name === 'everyOption' ? 30 : 90))).toEqual([]);
  });

  test('holds no secret: each is generated, and filled in after the deployment', () => {
    expect(
      resources(template, 'AWS::SecretsManager::Secret').filter(({ Properties }) => 'SecretString' in Properties),
    ).toEqual([]);
    expect(text).not.toMatch(/HECToken|AccessKey"|"Password/);
  });

  test('brings no function but its own, and no custom resource', () => {
    expect(resources(template, 'AWS::Lambda::Function')).toHaveLength(1);
    expect(Object.values(template.Resources).filter(({ Type }) => /^Custom::|CustomResource/.test(Type))).toEqual([]);
  });

  test('has no way in to the function but the permission to invoke it', () => {
    expect(['AWS::Lambda::Permission', 'AWS::Lambda::Url'].flatMap(type => resources(template, type))).toEqual([]);
  });

  test('uses the customer’s key through services only, and no key where none is given', () => {
    const uses = identityStatements(template).filter(({ statement }) =>
      actionsOf(statement).some(action => action.startsWith('kms:')),
    );
    const given = 'kmsKeyArn' in VARIANTS[name];
    expect(uses.length > 0).toBe(given);
    expect(
      uses.filter(({ statement }) => statement.Condition?.['StringEquals']?.['kms:ViaService'] === undefined),
    ).toEqual([]);
    expect(uses.flatMap(({ statement }) => resourcesOf(statement)).filter(arn => arn !== KEY_ARN)).toEqual([]);
  });
});

test('a customer’s key encrypts table, bucket, secrets and delivery stream', () => {
  const template = synthesize(VARIANTS.splunk);
  expect(only(template, 'AWS::DynamoDB::Table')).toMatchObject({
    SSESpecification: { KMSMasterKeyId: KEY_ARN, SSEEnabled: true, SSEType: 'KMS' },
  });
  expect(JSON.stringify(only(template, 'AWS::S3::Bucket')['BucketEncryption'])).toContain(KEY_ARN);
  const secrets = resources(template, 'AWS::SecretsManager::Secret').map(({ Properties }) => Properties['KmsKeyId']);
  expect(secrets).toEqual([KEY_ARN, KEY_ARN]);
  expect(only(template, 'AWS::KinesisFirehose::DeliveryStream')).toMatchObject({
    DeliveryStreamEncryptionConfigurationInput: { KeyType: 'CUSTOMER_MANAGED_CMK', KeyARN: KEY_ARN },
  });
});

describe('the condition through which service a key is used', () => {
  /** The values of kms:ViaService in the policies of the connector, and in the policy that the CDK gives the key. */
  function services(env: Environment) {
    const scope = new Stack(createApp(), 'TheirStack', { env });
    const { template } = construct(own => ({ encryptionKey: new kms.Key(own, 'Key') }), scope);
    const values = (statements: readonly Statement[]) =>
      statements.flatMap(({ Condition }) => Condition?.['StringEquals']?.['kms:ViaService'] ?? []);
    const { Statement: ofKey } = only(template, 'AWS::KMS::Key')['KeyPolicy'] as { Statement: Statement[] };
    return { own: values(identityStatements(template).map(({ statement }) => statement)), ofKey: values(ofKey) };
  }

  test.each([
    ['eu-west-1', []],
    ['cn-north-1', ['secretsmanager.cn-north-1.amazonaws.com.cn']],
    ['eusc-de-east-1', ['secretsmanager.eusc-de-east-1.amazonaws.eu']],
    ['us-iso-east-1', ['secretsmanager.us-iso-east-1.c2s.ic.gov']],
  ])('has in %s the name that the CDK uses in key policies, and that of the partition', (region, ofPartition) => {
    const { own, ofKey } = services({ account: '111122223333', region });
    const ofSecrets = own.filter(value => String(value).startsWith('secretsmanager.'));
    expect(new Set(ofSecrets)).toEqual(new Set([`secretsmanager.${region}.amazonaws.com`, ...ofPartition]));
    expect(ofKey.length).toBeGreaterThan(0);
    expect(ofKey.filter(value => !own.includes(value))).toEqual([]);
  });

  test('the condition has both service names when the region is not known at synth', () => {
    const { own } = services({});
    const ofSecrets = own.map(value => JSON.stringify(value)).filter(text => text.includes('secretsmanager.'));
    expect(ofSecrets.filter(text => text.includes('{"Ref":"AWS::URLSuffix"}'))).not.toEqual([]);
    expect(ofSecrets.filter(text => text.includes('.amazonaws.com"'))).not.toEqual([]);
  });
});

test('a permissions boundary reaches every role', () => {
  const roles = resources(synthesize(VARIANTS.everyOption), 'AWS::IAM::Role');
  expect(roles.length).toBeGreaterThan(3);
  expect(roles.filter(({ Properties }) => Properties['PermissionsBoundary'] !== BOUNDARY_ARN)).toEqual([]);
});

test('ARNs are those of the partition that is deployed to', () => {
  expect(JSON.stringify(synthesize(VARIANTS.china))).not.toContain('arn:aws:');
  expect(JSON.stringify(synthesize())).not.toMatch(/arn:aws(-cn)?:/);
});
