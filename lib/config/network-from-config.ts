import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { suppressFinding } from '../acknowledge.ts';
import type { Network } from '../function/poller-network.ts';
import type { VpcConfig } from './vpc-schema.ts';

/** A network known by its ids alone, so that synth looks nothing up and needs no credentials. */
export function networkFrom(scope: Construct, { vpcId, subnetIds, securityGroupIds }: VpcConfig): Network {
  // Zones are neither known nor used here, but an imported VPC cannot be without one.
  const vpc = ec2.Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones: ['unknown'] });
  const subnets = subnetIds.map(id => subnetFrom(scope, id));
  const securityGroups = securityGroupIds?.map(id =>
    ec2.SecurityGroup.fromSecurityGroupId(scope, id, id, { mutable: false }),
  );
  return { vpc, subnets: { subnets }, ...(securityGroups && { securityGroups }) };
}

function subnetFrom(scope: Construct, id: string): ec2.ISubnet {
  const subnet = ec2.Subnet.fromSubnetId(scope, id, id);
  suppressFinding(subnet, 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId', 'Nothing here touches the route table.');
  return subnet;
}
