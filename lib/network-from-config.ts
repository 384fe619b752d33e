import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import type { VpcConfig } from './config/vpc-schema.ts';
import type { Network } from './poller-network.ts';

/** A network known by its ids alone, so that synth looks nothing up and needs no credentials. */
export function networkFrom(scope: Construct, { vpcId, subnetIds, securityGroupIds }: VpcConfig): Network {
  // Zones are neither known nor used here, but an imported VPC cannot be without one.
  const vpc = ec2.Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones: ['unknown'] });
  const subnets = subnetIds.map(id => ec2.Subnet.fromSubnetId(scope, id, id));
  const securityGroups = securityGroupIds?.map(id =>
    ec2.SecurityGroup.fromSecurityGroupId(scope, id, id, { mutable: false }),
  );
  return { vpc, subnets: { subnets }, ...(securityGroups && { securityGroups }) };
}
