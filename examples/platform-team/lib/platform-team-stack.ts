import { SecurityDataConnector } from '@security-data-connector/connector';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as cdk from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

export interface PlatformTeamStackProps extends cdk.StackProps {
  /** @default - the URL of the example */
  readonly baseUrl?: string;
  /** @default - the URL of the example */
  readonly authUrl?: string;
}

/**
 * A connector that follows the rules of a platform team: its own key, topic, boundary, proxy,
 * thresholds and roles.
 */
export class PlatformTeamStack extends cdk.Stack {
  constructor(scope: Construct, id: string, { baseUrl, authUrl, ...props }: PlatformTeamStackProps = {}) {
    super(scope, id, props);
    const key = new kms.Key(this, 'Key', { enableKeyRotation: true });
    const alarmTopic = new sns.Topic(this, 'OnCallTopic', { masterKey: key, enforceSSL: true });

    const connector = new SecurityDataConnector(this, 'Connector', {
      connectorName: 'acme',
      baseUrl: baseUrl ?? 'https://api.security-data.example',
      authUrl: authUrl ?? 'https://auth.security-data.example/realms/acme',
      encryptionKey: key,
      proxyUrl: 'http://proxy.acme.example:3128',
      noProxy: ['vpce.amazonaws.com'],
      alarmTopic,
      alarms: {
        // The SIEM of this organization reads every two hours, so the default threshold would be
        // too short.
        'siem-reader-stalled': { threshold: 3 * 3600, severity: 'warning' },
        // The platform already has an alarm on the errors of every function.
        'function-errors': false,
      },
      permissionsBoundary: this.boundary(key),
      runbookUrl: 'https://git.acme.example/security-data-connector/docs/runbook.md',
    });

    connector.function.addEnvironment('COST_CENTER', 'security');
    connector.metricEventsForwarded('assets', { period: cdk.Duration.days(1) }).createAlarm(this, 'NothingForwarded', {
      threshold: 1,
      comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 3,
      // If nothing is forwarded, the function sends no value instead of 0, so missing data count as
      // the problem.
      treatMissingData: cloudwatch.TreatMissingData.BREACHING,
    });

    // On-call may look at the connector, and administrators may change it.
    connector.grantInspect(this.role('OnCall'));
    connector.grantOperate(this.role('Administrator'));
  }

  private role(name: string): iam.Role {
    const role = new iam.Role(this, name, { assumedBy: new iam.AccountRootPrincipal() });
    new cdk.CfnOutput(this, `${name}RoleArn`, { value: role.roleArn });
    return role;
  }

  /**
   * The permissions boundary: a role of the connector can never do more, whatever its own policy
   * allows.
   */
  private boundary(key: kms.IKey): iam.ManagedPolicy {
    return new iam.ManagedPolicy(this, 'Boundary', {
      statements: [
        new iam.PolicyStatement({
          actions: [
            'dynamodb:*Item',
            'dynamodb:Query',
            'firehose:PutRecordBatch',
            'lambda:InvokeFunction',
            'logs:CreateLogStream',
            'logs:PutLogEvents',
            's3:AbortMultipartUpload',
            's3:Get*',
            's3:List*',
            's3:PutObject',
            'secretsmanager:GetSecretValue',
            'sqs:SendMessage',
          ],
          resources: ['*'],
        }),
        new iam.PolicyStatement({
          actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey'],
          resources: [key.keyArn],
        }),
      ],
    });
  }
}
