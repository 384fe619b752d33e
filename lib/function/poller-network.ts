import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { SecurityDataConnectorProps } from '../connector-props.ts';
import { portOf } from './proxy.ts';

/**
 * Returns the properties that place the function in the VPC of the props. Without a VPC the
 * properties are empty, and the function is in Lambda's own network.
 *
 * @param addresses addresses to which the function connects
 */
export function networkPlacement(
  scope: Construct,
  { vpc, vpcSubnets, securityGroups }: SecurityDataConnectorProps,
  addresses: readonly string[],
) {
  if (!vpc) return {};
  return {
    vpc,
    securityGroups: securityGroups ?? [createSecurityGroup(scope, vpc, outboundPorts(addresses))],
    ...(vpcSubnets && { vpcSubnets }),
  };
}

/**
 * Returns the ports to which the function connects: the ports of the addresses, and 443 for AWS.
 */
function outboundPorts(addresses: readonly string[]): number[] {
  const ports = addresses.filter(address => URL.canParse(address)).map(portOf);
  return [...new Set([443, ...ports])];
}

function createSecurityGroup(scope: Construct, vpc: ec2.IVpc, ports: readonly number[]): ec2.ISecurityGroup {
  const group = new ec2.SecurityGroup(scope, 'Outbound', {
    vpc,
    description: 'Lets the connector out to the API and to AWS, and nothing in.',
    allowAllOutbound: false,
  });
  for (const port of ports) group.addEgressRule(ec2.Peer.anyIpv4(), ec2.Port.tcp(port), 'API, token endpoint and AWS');
  return group;
}

/**
 * Actions of the Lambda service that place a function in a VPC. IAM does not allow a narrower
 * resource for them.
 */
export const NETWORK_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
] as const;

/**
 * Denies the network actions to the function's code, because only the Lambda service needs them.
 */
export function denyNetworkToCode(scope: Construct, role: iam.Role, target: IFunction): void {
  new iam.Policy(scope, 'NetworkIsForLambda', {
    roles: [role],
    statements: [
      new iam.PolicyStatement({
        effect: iam.Effect.DENY,
        actions: [...NETWORK_ACTIONS],
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': target.functionArn } },
      }),
    ],
  });
}
