import { SecurityDataConnector } from '@security-data-connector/connector';
import * as cdk from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

export class OwnAppStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);

    new SecurityDataConnector(this, 'Connector', {
      connectorName: 'acme',
      baseUrl: 'https://api.security-data.example',
      authUrl: 'https://auth.security-data.example/realms/acme',
      alarmEmail: 'on-call@acme.example',
      runbookUrl: 'https://git.acme.example/security-data-connector/docs/runbook.md',
    });
  }
}
