import { describe, expect, test } from '@jest/globals';
import type { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type { SecurityDataConnectorProps } from '../../../lib/connector-props.ts';
import { Destination } from '../../../lib/delivery/destination.ts';
import type { SecurityDataConnector } from '../../../lib/security-data-connector.ts';
import { templateOf } from '../synth.ts';
import { construct } from './construct.ts';
import { actionsOf, type Statement, statementsOf } from './policies.ts';

type Grant = (connector: SecurityDataConnector, grantee: iam.IGrantable) => iam.Grant;

/** Statements that a grant adds to a role of the same stack. */
function granted(grant: Grant, props: (scope: Stack) => Partial<SecurityDataConnectorProps> = () => ({})): Statement[] {
  const { scope, connector } = construct(props);
  const role = new iam.Role(scope, 'Theirs', { assumedBy: new iam.AccountRootPrincipal() });
  grant(connector, role).assertSuccess();
  return statementsOf(templateOf(scope), 'Theirs');
}

function actions(statements: readonly Statement[]): string[] {
  return statements.flatMap(actionsOf).sort();
}

const read: Grant = (connector, grantee) => connector.grantRead(grantee);
const inspect: Grant = (connector, grantee) => connector.grantInspect(grantee);
const operate: Grant = (connector, grantee) => connector.grantOperate(grantee);
const INSPECTION = granted(inspect);
const OPERATION = granted(operate);

describe('grantRead', () => {
  test('grantRead allows the same actions as the policy for the SIEM', () => {
    const { scope, connector } = construct();
    connector.grantRead(new iam.ManagedPolicy(scope, 'Theirs'));
    const template = templateOf(scope);
    const theirs = statementsOf(template, 'Theirs');
    expect(theirs).toEqual(statementsOf(template, 'ConnectorSiemReaderPolicy'));
    expect(theirs).toHaveLength(2);
  });

  test('grantRead without a queue of notifications allows listing only the events', () => {
    const statements = granted(read, () => ({ siemQueue: false }));
    expect(actions(statements)).toEqual(['s3:GetObject', 's3:ListBucket']);
    const listing = statements.find(each => actionsOf(each).includes('s3:ListBucket'));
    expect(listing?.Condition).toEqual({ StringLike: { 's3:prefix': 'events/*' } });
  });

  test('grantRead allows decryption with the key of the connector and the key of an existing bucket', () => {
    const statements = granted(read, scope => ({
      encryptionKey: new kms.Key(scope, 'OfConnector'),
      bucket: new s3.Bucket(scope, 'Bucket', { encryptionKey: new kms.Key(scope, 'OfBucket') }),
    }));
    const decryption = statements.filter(each => actionsOf(each).includes('kms:Decrypt'));
    expect(decryption).toHaveLength(1);
    expect(decryption[0]!.Resource).toHaveLength(2);
    expect(JSON.stringify(decryption[0]!.Condition)).toContain('s3.eu-west-1');
  });

  test('grantRead is refused when the bucket does not contain events', () => {
    const destination = Destination.splunk({ url: 'https://splunk.acme.example:8088' });
    expect(() => granted(read, () => ({ destination }))).toThrow(
      'The bucket of connector acme has no events, because its destination is not S3.',
    );
  });
});

describe('the grants of operators', () => {
  const WRITES = /:(Put|Update|Delete|Send|Start|Invoke|Disable|Enable|PassRole)/;

  test('grantInspect allows no action that changes anything, and grantOperate includes grantInspect', () => {
    const [inspecting, operating] = [actions(INSPECTION), actions(OPERATION)];
    expect(inspecting.filter(action => WRITES.test(action))).toEqual([]);
    expect(inspecting.filter(action => !operating.includes(action))).toEqual([]);
    expect(operating.filter(action => WRITES.test(action))).toHaveLength(12);
  });

  test.each([
    ['inspect', INSPECTION],
    ['operate', OPERATION],
  ])('the grants to %s are limited to resources of the connector where AWS supports limits', (_, statements) => {
    const everything = statements.filter(each => each.Resource === '*');
    expect(actions(everything)).toEqual([
      'cloudwatch:DescribeAlarms',
      'cloudwatch:GetMetricData',
      'sts:GetCallerIdentity',
    ]);
  });

  test('operators may list only prefixes of the connector, and pass a role only to EventBridge Scheduler', () => {
    const conditionOf = (action: string) =>
      OPERATION.find(each => actionsOf(each).includes(action) && each.Condition)?.Condition;
    expect(conditionOf('s3:ListBucket')).toEqual({
      StringLike: { 's3:prefix': ['events/*', 'delivery-errors/*', 'dead-letter/*'] },
    });
    expect(conditionOf('iam:PassRole')).toEqual({
      StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
    });
  });

  test('operators may encrypt nothing but the secret with the customer’s key', () => {
    const uses = (grant: Grant) =>
      granted(grant, scope => ({ encryptionKey: new kms.Key(scope, 'Key') }))
        .filter(each => actions([each]).some(action => action.startsWith('kms:')))
        .map(each => `${/"([a-z0-9]+)\./.exec(JSON.stringify(each.Condition))![1]} ${actions([each])}`);
    expect(uses(inspect)).toEqual(['dynamodb kms:Decrypt', 's3 kms:Decrypt', 'secretsmanager kms:Decrypt']);
    expect(uses(operate)).toEqual([
      'dynamodb kms:Decrypt',
      's3 kms:Decrypt',
      'secretsmanager kms:Decrypt,kms:GenerateDataKey',
    ]);
  });
});
