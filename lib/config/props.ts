/** Between `cdk.json` and the construct: values become props, props are checked by the same rules, and defaults are filled in. */
import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type * as v from 'valibot';
import {
  CONNECTOR_OPTIONS,
  type ConnectorConfig,
  type ConnectorOptions,
  type VPC_OPTIONS,
} from '../connector-options.ts';
import type { Network, SecurityDataConnectorProps } from '../connector-props.ts';
import { DESTINATIONS, destinationSchema, kindOf } from '../delivery/destinations.ts';
import { SIEM_READERS, siemReaderSchema } from '../siem/readers.ts';
import { suppressFinding } from '../suppress-finding.ts';
import { certificatesFaultsWithin } from './certificates.ts';
import { contradictionsWithin } from './contradictions.ts';
import { ConfigurationError, type Fault } from './fault.ts';
import { type ConfigOf, FORMS, type Option, type OptionGroup, type Place } from './option.ts';
import { misplaced, placeInArn } from './place.ts';
import { schemaFaults, similarName } from './schema-faults.ts';

/** The prop for a value of `cdk.json`. `id` is free in the scope. */
const PROP_OF: Readonly<Record<keyof typeof FORMS, (value: never, scope: Construct, id: string) => unknown>> = {
  seconds: Duration.seconds,
  minutes: Duration.minutes,
  days: Duration.days,
  removalPolicy: (value: string) =>
    value === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  logRetention: (days: number) => days,
  secret: (arn: string, scope, id) => secretsmanager.Secret.fromSecretCompleteArn(scope, id, arn),
  bucket: (arn: string, scope, id) => s3.Bucket.fromBucketArn(scope, id, arn),
  table: (arn: string, scope, id) => dynamodb.Table.fromTableArn(scope, id, arn),
  key: (arn: string, scope, id) => kms.Key.fromKeyArn(scope, id, arn),
  topic: (arn: string, scope, id) => sns.Topic.fromTopicArn(scope, id, arn),
  managedPolicy: (arn: string, scope, id) => iam.ManagedPolicy.fromManagedPolicyArn(scope, id, arn),
  deliveryStream: (arn: string, scope, id) => CfnDeliveryStream.fromDeliveryStreamArn(scope, id, arn),
  siemReader: (reader: object) => reader,
  network: (vpc: ConfigOf<typeof VPC_OPTIONS>, scope) => networkFrom(scope, vpc),
  destination: (value: { type: string }, scope, id) => ({
    type: value.type,
    ...propsOf(kindOf(value), value, scope, id),
  }),
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
  return form ? PROP_OF[form](value as never, scope, id) : value;
}

/** Fills in every default, and leaves out members that are not props. */
export function optionsOf(scope: Construct, props: SecurityDataConnectorProps): ConnectorOptions {
  const given = props as unknown as Record<string, unknown>;
  const options = optionsIn(CONNECTOR_OPTIONS).flatMap(([key, option]) => {
    if (given[key] !== undefined) return [[key, given[key]]];
    return option.default === undefined ? [] : [[key, propOf(option, option.default, scope, key)]];
  });
  return Object.fromEntries(options);
}

/**
 * Members that are not props, but resemble one. TypeScript refuses them where an object is written down, and JavaScript nowhere. Other unknown
 * members are ignored, because the props of a stack often extend those of the construct.
 */
export function misspeltProps(props: SecurityDataConnectorProps): Fault[] {
  const { destination, siemReader, network } = props;
  const parts: readonly [path: string, names: Names, values: object | undefined][] = [
    ['props', namesIn(CONNECTOR_OPTIONS), props],
    ['props.destination', destination ? namesIn(DESTINATIONS[destination.type]) : {}, destination],
    ['props.siemReader', siemReader ? namesIn(SIEM_READERS[siemReader.type]) : {}, siemReader],
    ['props.network', NETWORK, network],
  ];
  return parts.flatMap(([path, names, values = {}]) => {
    const unknown = Object.keys(values).filter(name => name !== 'type' && !Object.hasOwn(names, name));
    return unknown.flatMap(name => {
      const keys = Object.keys(names);
      const meant = keys.find(key => names[key] === name) ?? similarName(name, keys);
      return meant ? [{ path: `${path}.${name}`, reason: `is not a prop; did you mean ${meant}?` }] : [];
    });
  });
}

/** Names in `cdk.json` by the names of props. */
type Names = Readonly<Record<string, string>>;

function namesIn(group: OptionGroup): Names {
  return Object.fromEntries(optionsIn(group).map(([key, { name = key }]) => [key, name]));
}

const NETWORK: Names & Record<keyof Network, keyof ConfigOf<typeof VPC_OPTIONS>> = {
  vpc: 'vpcId',
  subnets: 'subnetIds',
  securityGroups: 'securityGroupIds',
};

/**
 * Checks props by the rules of the configuration, whatever a program in JavaScript gives. A token passes where nothing here depends on its
 * value.
 *
 * @param scope of the connector, whose stack has an account and a region
 * @throws {ConfigurationError} naming every fault.
 */
export function checkProps(scope: Construct, props: unknown): void {
  const faults = groupFaults(CONNECTOR_OPTIONS, props, 'props');
  if (isObject(props)) {
    const given = configNames(props);
    const known = Object.fromEntries(Object.entries(given).filter(([name]) => !faults.some(isAbout(name))));
    const between = [
      ...contradictionsWithin(known, 'props'),
      // The CDK runs an app in the folder of its cdk.json.
      ...certificatesFaultsWithin(known, process.cwd(), 'props'),
    ];
    faults.push(...between.map(inPropNames), ...misplacedProps(scope, props));
  }
  if (faults.length > 0) throw new ConfigurationError(faults);
}

function misplacedProps(scope: Construct, values: Readonly<Record<string, unknown>>): Fault[] {
  const nameOf = (key: string) => key;
  return misplaced({ group: CONNECTOR_OPTIONS, values, path: 'props', nameOf, placeOf }, knownPlace(Stack.of(scope)));
}

/** The ARN counts before `env`, because some resources that the CDK imports have the account and region of the stack as `env`. */
function placeOf(resource: unknown, { form }: Option): Place {
  const { member = '' }: { readonly type: string; readonly member?: string } = FORMS[form!];
  const members = resource as Readonly<Record<string, unknown>>;
  const named = members[member];
  const inArn = knownPlace(placeInArn(isObject(named) ? named['deliveryStreamArn'] : named));
  const ofResource = knownPlace(members['env'] ?? {});
  return { account: inArn.account ?? ofResource.account, region: inArn.region ?? ofResource.region };
}

/** The parts of a place that are known at synth. */
function knownPlace({ account, region }: Place): Place {
  const known = (part: string | undefined) => (Token.isUnresolved(part) ? undefined : part);
  return { account: known(account), region: known(region) };
}

/** Whether a fault is about the option of this name, so that rules between options leave it alone. */
function isAbout(name: string): (fault: Fault) => boolean {
  const key = keyOf(name);
  return ({ path }) => /^props\.(\w+)/.exec(path)?.[1] === key;
}

function groupFaults(group: OptionGroup, props: unknown, root: string): Fault[] {
  if (!isObject(props)) return [{ path: root, reason: 'must be an object' }];
  return optionsIn(group).flatMap(([key, option]) => {
    const prop = props[key];
    if (prop !== undefined) return propFaults(option, prop, `${root}.${key}`);
    return key in group.required ? [{ path: `${root}.${key}`, reason: 'is required' }] : [];
  });
}

function propFaults({ form, schema, late }: Option, prop: unknown, path: string): Fault[] {
  const reason = form && formFault(form, prop);
  if (reason) return [{ path, reason }];
  if (form === 'destination') return kindFaults(DESTINATIONS, destinationSchema, prop, path);
  if (form === 'siemReader') return kindFaults(SIEM_READERS, siemReaderSchema, prop, path);
  if (form === 'network') return networkFaults(prop as Network, path);
  const value = form === undefined ? prop : plainValue(form, prop);
  if (value === undefined || (late && Token.isUnresolved(value))) return [];
  const lateMembers = unresolvedWithin(value);
  if (lateMembers.length > 0 && !late)
    return lateMembers.map(member => ({ path: path + member, reason: MUST_BE_KNOWN }));
  return schemaFaults(schema, late ? withoutTokens(value) : value, path);
}

const MUST_BE_KNOWN = 'must be known when the app is synthesized, and is a token';

/** The fault of a prop that does not have its type. Programs in JavaScript can pass one. */
function formFault(form: keyof typeof FORMS, prop: unknown): string | undefined {
  const { type, member }: { readonly type: string; readonly member?: string } = FORMS[form];
  if (member !== undefined && !(isObject(prop) && member in prop)) {
    const example = member === 'toSeconds' ? `, such as Duration.${form}(5)` : `, which has ${member}`;
    return `must be ${/^I[A-Z]/.test(type) ? 'an' : 'a'} ${type}${example}`;
  }
  if (form === 'removalPolicy' && !REMOVAL_POLICIES.includes(prop as RemovalPolicy)) {
    return `must be RemovalPolicy.${Object.keys(RemovalPolicy)
      .filter(name => REMOVAL_POLICIES.includes(RemovalPolicy[name as keyof typeof RemovalPolicy]))
      .join(', ')}`;
  }
  const duration = prop as Duration;
  const isOther = member === 'toSeconds' && duration.isUnresolved() && duration.unitLabel() !== form;
  return isOther ? `is a token, so it must be given as Duration.${form}(…)` : undefined;
}

/** The policies that the resources support. None of them supports snapshots. */
const REMOVAL_POLICIES: readonly RemovalPolicy[] = [
  RemovalPolicy.DESTROY,
  RemovalPolicy.RETAIN,
  RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
];

/** The value as `cdk.json` would have it. Undefined for an object of the CDK, which needs no further check. */
function plainValue(form: keyof typeof FORMS, prop: unknown): unknown {
  if (form === 'logRetention') return prop;
  if (FORMS[form].type !== 'Duration') return undefined;
  const duration = prop as Duration;
  const options = { integral: false };
  if (form === 'days') return duration.toDays(options);
  return form === 'minutes' ? duration.toMinutes(options) : duration.toSeconds(options);
}

function kindFaults(
  kinds: Readonly<Record<string, OptionGroup>>,
  schema: v.GenericSchema,
  prop: unknown,
  path: string,
) {
  if (!isObject(prop)) return [{ path, reason: 'must be an object' }];
  const { type } = prop;
  if (Token.isUnresolved(type)) return [{ path: `${path}.type`, reason: MUST_BE_KNOWN }];
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  return kind ? groupFaults(kind, prop, path) : schemaFaults(schema, { type }, path);
}

function networkFaults({ vpc, subnets, securityGroups }: Network, path: string): Fault[] {
  const wrong = (name: string, reason: string) => ({ path: `${path}.${name}`, reason });
  return [
    ...(isObject(vpc) && 'vpcId' in vpc ? [] : [wrong('vpc', 'must be an IVpc, which has vpcId')]),
    ...(subnets === undefined || isObject(subnets) ? [] : [wrong('subnets', 'must be a SubnetSelection')]),
    ...(securityGroups === undefined || isListOfGroups(securityGroups)
      ? []
      : [wrong('securityGroups', 'must be a list of ISecurityGroup, one at least')]),
  ];
}

function isListOfGroups(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0 && list.every(each => isObject(each) && 'securityGroupId' in each);
}

/** Paths of tokens in a value, such as `.threats`. The path is empty if the value itself is a token. */
function unresolvedWithin(value: unknown): string[] {
  if (Token.isUnresolved(value)) return [''];
  if (Array.isArray(value))
    return value.flatMap((each, index) => unresolvedWithin(each).map(path => `[${index}]${path}`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    ...(Token.isUnresolved(key) ? [`.${key}`] : []),
    ...unresolvedWithin(each).map(path => `.${key}${path}`),
  ]);
}

/** An object without the values that are tokens. */
function withoutTokens(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => !Token.isUnresolved(each)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Props under their names in `cdk.json`, for the rules between options. */
function configNames(props: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.entries(namesIn(CONNECTOR_OPTIONS)).filter(([key]) => props[key] !== undefined);
  return Object.fromEntries(given.map(([key, name]) => [name, props[key]]));
}

function inPropNames({ path, reason }: Fault): Fault {
  const [root, member, ...rest] = path.split('.');
  return { path: [root, keyOf(member!), ...rest].join('.'), reason };
}

/** Name of the prop by that of the option. */
function keyOf(name: string): string {
  return optionsIn(CONNECTOR_OPTIONS).find(([, option]) => option.name === name)?.[0] ?? name;
}

function optionsIn({ required, optional }: OptionGroup): [string, Option][] {
  return Object.entries({ ...required, ...optional });
}

/** A network known by its ids alone, so that synth looks nothing up and needs no credentials. */
function networkFrom(scope: Construct, { vpcId, subnetIds, securityGroupIds }: ConfigOf<typeof VPC_OPTIONS>): Network {
  // An imported VPC must have a zone, although none is used here.
  const vpc = ec2.Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones: ['unknown'] });
  const subnets = subnetIds.map(id => ec2.Subnet.fromSubnetId(scope, id, id));
  for (const subnet of subnets)
    suppressFinding(subnet, 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId', 'Nothing here uses the route table.');
  const securityGroups = securityGroupIds?.map(id =>
    ec2.SecurityGroup.fromSecurityGroupId(scope, id, id, { mutable: false }),
  );
  return { vpc, subnets: { subnets }, ...(securityGroups && { securityGroups }) };
}
