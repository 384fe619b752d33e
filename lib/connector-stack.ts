import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { toProps } from './config/props.ts';
import type { ConnectorConfig } from './config/schema.ts';
import { SecurityDataConnector } from './security-data-connector.ts';

/**
 * The connector of one organization as a stack: a thin wrapper that passes the configuration to the
 * construct.
 */
export class ConnectorStack extends Stack {
  readonly connector: SecurityDataConnector;

  constructor(scope: Construct, config: ConnectorConfig) {
    super(scope, `SecurityDataConnector-${config.name}`, stackProps(config));
    this.connector = new SecurityDataConnector(this, 'Connector', toProps(this, config));
    nameOutputs(this);
  }
}

/**
 * Removes the prefix from the names of outputs, because a stack has only one connector:
 * `FunctionName` instead of `ConnectorFunctionName05A544E1`.
 */
export function nameOutputs(stack: Stack): void {
  for (const output of stack.node.findAll()) {
    if (output instanceof CfnOutput) output.overrideLogicalId(output.node.id);
  }
}

function stackProps(config: ConnectorConfig): StackProps {
  return {
    description: `Security data connector "${config.name}": what changed in one organization, to its SIEM.`,
    env: {
      ...(config.account && { account: config.account }),
      ...(config.region && { region: config.region }),
    },
  };
}
