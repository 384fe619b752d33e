import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ConnectorConfig } from './config/connector-schema.ts';
import { connectorProps } from './connector-props-from-config.ts';
import { SecurityDataConnector } from './security-data-connector.ts';

/** One organization’s connector as a stack: a thin wrapper that gives the construct what the configuration says. */
export class ConnectorStack extends Stack {
  readonly connector: SecurityDataConnector;

  constructor(scope: Construct, config: ConnectorConfig) {
    super(scope, `SecurityDataConnector-${config.name}`, stackProps(config));
    this.connector = new SecurityDataConnector(this, 'Connector', connectorProps(this, config));
  }
}

function stackProps(config: ConnectorConfig): StackProps {
  return {
    description: `Security data connector "${config.name}": what changed in one organization, to its SIEM.`,
    terminationProtection: config.terminationProtection,
    env: {
      ...(config.account && { account: config.account }),
      ...(config.region && { region: config.region }),
    },
  };
}
