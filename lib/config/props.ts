/** Between `cdk.json` and the construct: values become props, props are checked by the same rules, and defaults are filled in. */
import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import * as v from 'valibot';
import {
  CONNECTOR_OPTIONS,
  type ConnectorConfig,
  type ConnectorOptions,
  type SecurityDataConnectorProps,
  type VPC_OPTIONS,
} from '../connector-options.ts';
import { kindOf } from '../delivery/destinations.ts';
import type { Network } from '../function/poller-network.ts';
import { ocsfFaultsWithin } from '../ocsf/ocsf-fields-option.ts';
import { suppressFinding } from '../suppress-finding.ts';
import { contradictionsWithin } from './contradictions.ts';
import { ConfigurationError, type Fault, schemaFaults } from './fault.ts';
import { type ConfigOf, type Forms, groupSchema, type Option, type OptionGroup } from './option.ts';

interface Conversion<P> {
  /** The prop for a value of `cdk.json`. `id` is free in the scope. */
  readonly prop: (value: never, scope: Construct, id: string) => P;
  /** The value again, for the rules of the configuration. Absent: the prop cannot be wrong. */
  readonly value?: (prop: P) => unknown;
}

const CONVERSIONS: { readonly [F in keyof Forms]: Conversion<Forms[F]> } = {
  seconds: { prop: Duration.seconds, value: duration => duration.toSeconds({ integral: false }) },
  minutes: { prop: Duration.minutes, value: duration => duration.toMinutes({ integral: false }) },
  days: { prop: Duration.days, value: duration => duration.toDays({ integral: false }) },
  removalPolicy: {
    prop: (value: string) => (value === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE),
  },
  logRetention: { prop: (days: number) => days },
  secret: { prop: (arn: string, scope, id) => secretsmanager.Secret.fromSecretCompleteArn(scope, id, arn) },
  bucket: { prop: (arn: string, scope, id) => s3.Bucket.fromBucketArn(scope, id, arn) },
  key: { prop: (arn: string, scope, id) => kms.Key.fromKeyArn(scope, id, arn) },
  topic: { prop: (arn: string, scope, id) => sns.Topic.fromTopicArn(scope, id, arn) },
  managedPolicy: { prop: (arn: string, scope, id) => iam.ManagedPolicy.fromManagedPolicyArn(scope, id, arn) },
  deliveryStream: { prop: (arn: string, scope, id) => CfnDeliveryStream.fromDeliveryStreamArn(scope, id, arn) },
  siemReader: { prop: (reader: Forms['siemReader']) => reader, value: reader => reader },
  network: { prop: (vpc: ConfigOf<typeof VPC_OPTIONS>, scope) => networkFrom(scope, vpc) },
  destination: {
    prop: (value: { type: string }, scope, id) =>
      ({ type: value.type, ...propsOf(kindOf(value), value, scope, id) }) as Forms['destination'],
  },
};

/** Props of the construct for one entry of the configuration. Defaults are left to the construct, which knows what was given. */
export function connectorProps(scope: Construct, config: ConnectorConfig): SecurityDataConnectorProps {
  return propsOf(CONNECTOR_OPTIONS, config, scope, '') as unknown as SecurityDataConnectorProps;
}

function propsOf(group: OptionGroup, values: object, scope: Construct, id: string): Record<string, unknown> {
  return Object.fromEntries(
    optionsIn(group).flatMap(([key, option]) => {
      const value = (values as Record<string, unknown>)[option.name ?? key];
      if (value === undefined || value === option.default) return [];
      return [[key, propOf(option, value, scope, `${id}${key[0]?.toUpperCase()}${key.slice(1)}`)]];
    }),
  );
}

function propOf({ form }: Option, value: unknown, scope: Construct, id: string): unknown {
  return form ? CONVERSIONS[form].prop(value as never, scope, id) : value;
}

/** Fills in every default. */
export function optionsOf(scope: Construct, props: SecurityDataConnectorProps): ConnectorOptions {
  const defaults = optionsIn(CONNECTOR_OPTIONS).flatMap(([key, option]) =>
    option.default === undefined ? [] : [[key, propOf(option, option.default, scope, key)]],
  );
  return { ...Object.fromEntries(defaults), ...defined(props) };
}

/**
 * Checks props by the rules of the configuration. Values that are known only at deployment pass.
 *
 * @throws {ConfigurationError} naming every fault.
 */
export function checkProps(props: SecurityDataConnectorProps): void {
  const { destination } = props;
  const given = configNames(props);
  const faults = [
    ...propFaults(CONNECTOR_OPTIONS, props, 'props'),
    ...(destination ? propFaults(kindOf(destination), destination, 'props.destination') : []),
    ...[...contradictionsWithin(given, 'props'), ...ocsfFaultsWithin(given, 'props')].map(inPropNames),
  ];
  if (faults.length > 0) throw new ConfigurationError(faults);
}

function propFaults(group: OptionGroup, props: object, root: string): Fault[] {
  const values: Record<string, unknown> = {};
  const known = (options: OptionGroup['required']) =>
    Object.fromEntries(
      Object.entries(options).flatMap(([key, { schema, form }]) => {
        const prop: unknown = (props as Record<string, unknown>)[key];
        const toValue = form ? CONVERSIONS[form].value : (same: unknown) => same;
        if (prop !== undefined && (!toValue || isLate(prop))) return [];
        if (prop !== undefined) values[key] = toValue?.(prop as never);
        return [[key, { schema }]];
      }),
    );
  const schema = groupSchema({ required: known(group.required), optional: known(group.optional) });
  return schemaFaults(v.looseObject((schema as unknown as { entries: v.ObjectEntries }).entries), values, root);
}

/** Whether a value, or one of its members, is known only at deployment. */
function isLate(prop: unknown): boolean {
  return Token.isUnresolved(prop) || (typeof prop === 'object' && Object.values(prop ?? {}).some(Token.isUnresolved));
}

/** Props under the names that the configuration has for them: rules between options ask whether one is given. */
function configNames(props: object): Record<string, unknown> {
  const names = Object.fromEntries(optionsIn(CONNECTOR_OPTIONS).map(([key, { name = key }]) => [key, name]));
  return Object.fromEntries(Object.entries(defined(props)).map(([key, value]) => [names[key] ?? key, value]));
}

function inPropNames({ path, reason }: Fault): Fault {
  const [root, member, ...rest] = path.split('.');
  const key = optionsIn(CONNECTOR_OPTIONS).find(([, { name }]) => name === member)?.[0] ?? member;
  return { path: [root, key, ...rest].join('.'), reason };
}

function optionsIn({ required, optional }: OptionGroup): [string, Option][] {
  return Object.entries({ ...required, ...optional });
}

function defined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

/** A network known by its ids alone, so that synth looks nothing up and needs no credentials. */
function networkFrom(scope: Construct, { vpcId, subnetIds, securityGroupIds }: ConfigOf<typeof VPC_OPTIONS>): Network {
  // Zones are neither known nor used here, but an imported VPC cannot be without one.
  const vpc = ec2.Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones: ['unknown'] });
  const subnets = subnetIds.map(id => ec2.Subnet.fromSubnetId(scope, id, id));
  for (const subnet of subnets)
    suppressFinding(subnet, 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId', 'Nothing here uses the route table.');
  const securityGroups = securityGroupIds?.map(id =>
    ec2.SecurityGroup.fromSecurityGroupId(scope, id, id, { mutable: false }),
  );
  return { vpc, subnets: { subnets }, ...(securityGroups && { securityGroups }) };
}
