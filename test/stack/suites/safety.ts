import { describe, expect, test } from '@jest/globals';
import { type Environment, Stack } from 'aws-cdk-lib';
import * as kms from 'aws-cdk-lib/aws-kms';
import { leaseKey } from '../../../lambda/store/item.ts';
import { createApp, synthesize } from '../synth.ts';
import { only, propertiesOf, resources } from '../template.ts';
import { KEY_ARN, VARIANT_NAMES, VARIANTS } from '../variants.ts';
import { construct } from './construct.ts';
import { actionsOf, resourcesOf, type Statement, statementsOf } from './policies.ts';

const FIREHOSE = 'AWS::KinesisFirehose::DeliveryStream';

const ALL_BLOCKED = {
  BlockPublicAcls: true,
  BlockPublicPolicy: true,
  IgnorePublicAcls: true,
  RestrictPublicBuckets: true,
};

describe.each(VARIANT_NAMES)('the stack in the variant %s', name => {
  const template = synthesize(VARIANTS[name]);
  const ofType = (type: string) => propertiesOf(template, type);
  const statementsIn = (document: unknown) => (document as { Statement: Statement[] }).Statement;
  const isDestroyed = name === 'http';

  test('roles trust only services that act for this account, and the named reader', () => {
    const trusts = ofType('AWS::IAM::Role').flatMap(role => statementsIn(role['AssumeRolePolicyDocument']));
    const readers = trusts.filter(({ Principal }) => !('Service' in (Principal as object)));
    expect(readers).toHaveLength(/"siemReader"|"reader"/.test(JSON.stringify(VARIANTS[name])) ? 1 : 0);

    const conditionsOf = (service: string) =>
      trusts
        .filter(({ Principal }) => JSON.stringify(Principal).includes(`${service}.amazonaws.com`))
        .map(({ Condition }) => JSON.stringify(Condition));
    const account = (key: string) =>
      expect.stringMatching(`^{"StringEquals":{"${key}":({"Ref":"AWS::AccountId"}|"\\d{12}")[,}]`);
    expect(conditionsOf('scheduler')).toEqual([account('aws:SourceAccount')]);
    expect(conditionsOf('scheduler').join()).toContain(':schedule-group/default');
    // A delivery stream that is given has its own role.
    const keys = ofType(FIREHOSE).length === 0 ? [] : ['aws:SourceAccount', 'sts:ExternalId'];
    expect(conditionsOf('firehose')).toEqual(keys.map(account));
  });

  test('table, bucket and secrets are kept on deletion, but only the table after a failed creation', () => {
    const kept = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::SecretsManager::Secret'];
    const policies = kept.flatMap(type =>
      resources(template, type).map(({ DeletionPolicy, UpdateReplacePolicy }) => [DeletionPolicy, UpdateReplacePolicy]),
    );
    const expected = isDestroyed ? ['Delete'] : ['Retain', 'RetainExceptOnCreate'];
    expect(policies.flat().filter(policy => !expected.includes(policy!))).toEqual([]);

    const left = Object.values(template.Resources).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
    const tables = resources(template, 'AWS::DynamoDB::Table');
    expect(left).toEqual(isDestroyed ? [] : tables);
    expect(tables).toHaveLength('stateTableArn' in VARIANTS[name] ? 0 : 1);
    for (const { Properties } of tables) expect(Properties['DeletionProtectionEnabled']).toBe(!isDestroyed);
  });

  test('the bucket is encrypted, versioned, cleaned up, and closed to the public and old TLS', () => {
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
    const buckets = ofType('AWS::S3::Bucket');
    for (const bucket of buckets) {
      expect(bucket).toMatchObject({
        LifecycleConfiguration: { Rules: [logs, rule] },
        PublicAccessBlockConfiguration: ALL_BLOCKED,
        BucketEncryption: expect.anything(),
        VersioningConfiguration: { Status: 'Enabled' },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      });
    }
    const refusals = ofType('AWS::S3::BucketPolicy').map(policy =>
      statementsIn(policy['PolicyDocument']).flatMap(({ Effect, Condition }) =>
        Effect === 'Deny' ? (Condition?.['NumericLessThan']?.['s3:TlsVersion'] ?? []) : [],
      ),
    );
    expect(refusals).toEqual(buckets.map(() => [1.2]));
  });

  test('every queue is encrypted, logs expire, and no secret is in the template', () => {
    expect(ofType('AWS::SQS::Queue').filter(queue => queue['SqsManagedSseEnabled'] !== true)).toEqual([]);
    const days = ofType('AWS::Logs::LogGroup').map(group => group['RetentionInDays']);
    expect(days.filter(kept => kept !== (name === 'everyOption' ? 30 : 90))).toEqual([]);
    expect(ofType('AWS::SecretsManager::Secret').filter(secret => 'SecretString' in secret)).toEqual([]);
    expect(JSON.stringify(template)).not.toMatch(/HECToken|AccessKey"|"Password/);
  });

  test('the stack has a single function, which only IAM permissions can invoke, and no custom resource', () => {
    expect(ofType('AWS::Lambda::Function')).toHaveLength(1);
    expect([...ofType('AWS::Lambda::Permission'), ...ofType('AWS::Lambda::Url')]).toEqual([]);
    expect(Object.values(template.Resources).filter(({ Type }) => /^Custom::|CustomResource/.test(Type))).toEqual([]);
  });

  test('the customer’s key can be used only through services, and is absent unless configured', () => {
    const uses = statementsOf(template, '').filter(each => actionsOf(each).some(action => action.startsWith('kms:')));
    const direct = uses.filter(({ Condition }) => !Condition?.['StringEquals']?.['kms:ViaService']);
    expect(uses.length > 0).toBe('kmsKeyArn' in VARIANTS[name]);
    expect(direct).toEqual([]);
    expect(uses.flatMap(resourcesOf).filter(arn => arn !== KEY_ARN)).toEqual([]);
  });
});

test('the table has the keys that its items use, and is billed per request', () => {
  const keys = Object.keys(leaseKey).map((AttributeName, index) => ({
    AttributeName,
    KeyType: ['HASH', 'RANGE'][index],
  }));
  expect(only(synthesize(), 'AWS::DynamoDB::Table')).toMatchObject({ KeySchema: keys, BillingMode: 'PAY_PER_REQUEST' });
});

test('a notification goes to the dead-letter queue after ten tries of ten minutes each', () => {
  const queues = propertiesOf(synthesize(), 'AWS::SQS::Queue');
  const announcements = queues.find(queue => 'RedrivePolicy' in queue);
  expect(announcements).toMatchObject({ VisibilityTimeout: 600, RedrivePolicy: { maxReceiveCount: 10 } });
  expect(queues.filter(queue => queue['MessageRetentionPeriod'] !== 14 * 86_400)).toEqual([]);
});

test('a customer’s key encrypts table, bucket, secrets and delivery stream', () => {
  const template = synthesize(VARIANTS.splunk);
  expect(only(template, 'AWS::DynamoDB::Table')).toMatchObject({
    SSESpecification: { KMSMasterKeyId: KEY_ARN, SSEEnabled: true, SSEType: 'KMS' },
  });
  expect(JSON.stringify(only(template, 'AWS::S3::Bucket')['BucketEncryption'])).toContain(KEY_ARN);
  const encrypted = { KmsKeyId: KEY_ARN };
  expect(propertiesOf(template, 'AWS::SecretsManager::Secret')).toMatchObject([encrypted, encrypted]);
  expect(only(template, 'AWS::KinesisFirehose::DeliveryStream')).toMatchObject({
    DeliveryStreamEncryptionConfigurationInput: { KeyType: 'CUSTOMER_MANAGED_CMK', KeyARN: KEY_ARN },
  });
});

describe('the condition through which service a key is used', () => {
  /**
   * The values of kms:ViaService in the policies of the connector, and in the policy that the CDK
   * gives the key.
   */
  function services(env: Environment) {
    const scope = new Stack(createApp(), 'TheirStack', { env });
    const { template } = construct(own => ({ encryptionKey: new kms.Key(own, 'Key') }), scope);
    const values = (statements: readonly Statement[]) =>
      statements.flatMap(({ Condition }) => Condition?.['StringEquals']?.['kms:ViaService'] ?? []);
    const { Statement: ofKey } = only(template, 'AWS::KMS::Key')['KeyPolicy'] as { Statement: Statement[] };
    return { own: values(statementsOf(template, '')), ofKey: values(ofKey) };
  }

  test.each([
    ['eu-west-1', []],
    ['cn-north-1', ['secretsmanager.cn-north-1.amazonaws.com.cn']],
    ['eusc-de-east-1', ['secretsmanager.eusc-de-east-1.amazonaws.eu']],
    ['us-iso-east-1', ['secretsmanager.us-iso-east-1.c2s.ic.gov']],
  ])(
    'the condition kms:ViaService has for %s both the CDK’s service name and the partition’s service name',
    (region, ofPartition) => {
      const { own, ofKey } = services({ account: '111122223333', region });
      const ofSecrets = own.filter(value => String(value).startsWith('secretsmanager.'));
      expect(new Set(ofSecrets)).toEqual(new Set([`secretsmanager.${region}.amazonaws.com`, ...ofPartition]));
      expect(ofKey.length).toBeGreaterThan(0);
      expect(ofKey.filter(value => !own.includes(value))).toEqual([]);
    },
  );

  test('the condition kms:ViaService has both service names when the region is unknown at synth', () => {
    const { own } = services({});
    const ofSecrets = own.map(value => JSON.stringify(value)).filter(text => text.includes('secretsmanager.'));
    expect(ofSecrets.filter(text => text.includes('{"Ref":"AWS::URLSuffix"}'))).not.toEqual([]);
    expect(ofSecrets.filter(text => text.includes('.amazonaws.com"'))).not.toEqual([]);
  });
});
