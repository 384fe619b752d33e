import { SecurityDataConnector } from '@security-data-connector/connector';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as s3n from 'aws-cdk-lib/aws-s3-notifications';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as cdk from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/** The topic of alarms, which all organizations share. */
export class SharedStack extends cdk.Stack {
  readonly alarmTopic = new sns.Topic(this, 'Alarms', { topicName: 'security-data-alarms', enforceSSL: true });

  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);
    this.alarmTopic.grantPublish(new iam.ServicePrincipal('cloudwatch.amazonaws.com'));
  }
}

export interface Organization {
  readonly name: string;
  readonly dnsBlocksPath?: string;
}

export interface OrganizationStackProps extends cdk.StackProps {
  readonly organization: Organization;
  readonly alarmTopic: sns.ITopic;
  /**
   * Beginning of the name of every bucket, because the name of a bucket must be unique in all of
   * AWS.
   */
  readonly bucketPrefix: string;
}

/** One organization, with its own stack, connector and bucket. */
export class OrganizationStack extends cdk.Stack {
  constructor(
    scope: Construct,
    id: string,
    { organization, alarmTopic, bucketPrefix, ...props }: OrganizationStackProps,
  ) {
    super(scope, id, props);
    const bucket = new s3.Bucket(this, 'Events', {
      bucketName: `${bucketPrefix}-${organization.name}`,
      enforceSSL: true,
      lifecycleRules: [{ expiration: cdk.Duration.days(365) }],
    });
    const connector = new SecurityDataConnector(this, 'Connector', {
      connectorName: organization.name,
      baseUrl: 'https://api.security-data.example',
      authUrl: `https://auth.security-data.example/realms/${organization.name}`,
      ...(organization.dnsBlocksPath && { dnsBlocksPath: organization.dnsBlocksPath }),
      bucket,
      alarmTopic,
      runbookUrl: 'https://git.acme.example/security-data-connector/docs/runbook.md',
    });
    // The connector does not change the notifications of an existing bucket, so they are added
    // here.
    if (connector.newObjectsTopic) {
      const topic = new s3n.SnsDestination(connector.newObjectsTopic);
      bucket.addEventNotification(s3.EventType.OBJECT_CREATED, topic, { prefix: 'events/' });
    }
  }
}
