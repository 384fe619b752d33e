/** Checks of props: what TypeScript cannot say. They are written as options of `cdk.json`, so that its rules hold for them too. */
import { type Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { similarName } from '../../lambda/exact-object.ts';
import type { SecurityDataConnectorProps } from '../connector-props.ts';
import { certificatesFaults } from './certificates.ts';
import { contradictionsIn, type Entry, objectIn } from './contradictions.ts';
import { ConfigurationError, type Fault } from './fault.ts';
import { misplaced, type Place, placeInArn } from './place.ts';
import { defined, PROP_NAMES, PROPS, pick } from './props.ts';
import { connectorSchema, DESTINATION_SCHEMAS, READER_SCHEMAS } from './schema.ts';
import { schemaFaults } from './schema-faults.ts';

/** Options that may be tokens, whose values are known only at deployment, because nothing at synth depends on them. */
const MAY_BE_TOKENS = [
  ...['baseUrl', 'authUrl', 'dnsBlocksPath', 'threatAssetField', 'rowsMember', 'paginationMember'],
  ...['logRetentionDays', 'retentionDays', 'alarmEmail', 'runbookUrl'],
  ...['url', 'name', 'bufferSeconds', 'retrySeconds', 'deliveryStreamArn'].map(member => `destination.${member}`),
  ...['principal', 'externalId', 'workspaceId', 'oidcProviderArn'].map(member => `siemReader.${member}`),
];

/** Options that are objects of the CDK as props: the type, and a member that identifies its objects. */
const OBJECTS = {
  secretArn: ['ISecret', 'secretArn'],
  bucketArn: ['IBucket', 'bucketArn'],
  stateTableArn: ['ITable', 'tableArn'],
  kmsKeyArn: ['IKey', 'keyArn'],
  alarmTopicArn: ['ITopic', 'topicArn'],
  permissionsBoundaryArn: ['IManagedPolicy', 'managedPolicyArn'],
  vpc: ['Network', 'vpc'],
  'vpc.vpcId': ['IVpc', 'vpcId'],
  'destination.secretArn': ['ISecret', 'secretArn'],
  'destination.deliveryStreamArn': ['IDeliveryStreamRef', 'deliveryStreamRef'],
} as const;

/** The policies that the resources support. None of them supports snapshots. */
const REMOVAL_POLICIES = ['DESTROY', 'RETAIN', 'RETAIN_ON_UPDATE_OR_DELETE'] as const;

/**
 * @param scope of the connector, whose stack has an account and a region
 * @throws {ConfigurationError} naming every fault
 */
export function checkProps(scope: Construct, props: SecurityDataConnectorProps): void {
  if (typeof props !== 'object' || props === null)
    throw new ConfigurationError([{ path: 'props', reason: 'must be an object' }]);

  const faults: Fault[] = [];
  const entry = entryOf(props, faults);
  const objects = cdkObjects(props);
  faults.push(...typeFaults(props, objects));
  const named = new Set(faults.map(({ path }) => path));
  faults.push(...valueFaults(entry).filter(({ path }) => !named.has(path)));

  const wrong = new Set(faults.map(({ path }) => path.split(/[.[]/)[0]));
  const sound = Object.entries({ ...entry, ...objects }).filter(([option]) => !wrong.has(option));
  const options = Object.fromEntries(sound);
  // The CDK runs an app in the folder of its cdk.json.
  faults.push(...contradictionsIn(options), ...certificatesFaults(options, process.cwd()));

  const stack = knownPlace(Stack.of(scope));
  faults.push(...Object.entries(objects).flatMap(([option, resource]) => placeFaults(option, resource, stack)));
  if (faults.length > 0) throw new ConfigurationError(faults.map(inPropNames));
}

/** The props as an entry of `cdk.json`, without objects of the CDK and without members that are not props. */
function entryOf(props: SecurityDataConnectorProps, faults: Fault[]): Entry {
  const amount = (option: string, duration: unknown, unit: keyof typeof AMOUNTS) => {
    const reason = durationFault(duration, unit);
    if (reason !== undefined) faults.push({ path: option, reason });
    return reason !== undefined || duration === undefined ? undefined : AMOUNTS[unit](duration as Duration);
  };

  const sameNames = Object.keys(connectorSchema.entries).filter(option => !(option in PROP_NAMES));
  return defined({
    ...pick(props, sameNames),
    name: props.connectorName,
    rateMinutes: amount('rateMinutes', props.rate, 'minutes'),
    memoryMegabytes: props.memorySize,
    logRetentionDays: props.logRetention,
    retentionDays: amount('retentionDays', props.retention, 'days'),
    // Its values are those of an enumeration, not the words of cdk.json.
    removalPolicy: undefined,
    siemReader: membersOf(props.siemReader, READER_SCHEMAS),
    destination: membersOf(props.destination, DESTINATION_SCHEMAS, given => ({
      bufferSeconds: amount('destination.bufferSeconds', given['bufferInterval'], 'seconds'),
      retrySeconds: amount('destination.retrySeconds', given['retry'], 'seconds'),
      secretArn: undefined,
      deliveryStreamArn: objectIn(objectIn(given['deliveryStream'])['deliveryStreamRef'])['deliveryStreamArn'],
    })),
  });
}

/** The members that belong to the kind of an object, with those that are options under another name. Other values are left to the schema. */
function membersOf(
  value: unknown,
  kinds: Readonly<Record<string, { readonly entries: object }>>,
  renamed: (value: Entry) => Entry = () => ({}),
): unknown {
  if (typeof value !== 'object' || value === null) return value;

  const { type } = value as Entry;
  if (typeof type !== 'string' || !Object.hasOwn(kinds, type)) return defined({ type });
  return defined({ ...pick(value, Object.keys(kinds[type]!.entries)), ...renamed(value as Entry) });
}

const AMOUNTS = {
  seconds: (duration: Duration) => duration.toSeconds({ integral: false }),
  minutes: (duration: Duration) => duration.toMinutes({ integral: false }),
  days: (duration: Duration) => duration.toDays({ integral: false }),
};

function durationFault(duration: unknown, unit: keyof typeof AMOUNTS): string | undefined {
  if (duration === undefined) return undefined;
  if (typeof (duration as Duration | null)?.toSeconds !== 'function')
    return `must be a Duration, such as Duration.${unit}(5)`;

  const { isUnresolved, unitLabel } = duration as Duration;
  const isOther = isUnresolved.call(duration) && unitLabel.call(duration) !== unit;
  return isOther ? `is a token, so it must be given as Duration.${unit}(…)` : undefined;
}

/** The objects of the CDK that are given, by their options. */
function cdkObjects(props: SecurityDataConnectorProps): Entry {
  const { secret, deliveryStream } = objectIn(props.destination);
  return defined({
    secretArn: props.secret,
    bucketArn: props.bucket,
    stateTableArn: props.stateTable,
    kmsKeyArn: props.encryptionKey,
    alarmTopicArn: props.alarmTopic,
    permissionsBoundaryArn: props.permissionsBoundary,
    vpc: props.network,
    'vpc.vpcId': objectIn(props.network)['vpc'],
    'destination.secretArn': secret,
    'destination.deliveryStreamArn': deliveryStream,
  } satisfies Record<keyof typeof OBJECTS, unknown>);
}

/** Faults of values that only the types of the CDK describe. A program in JavaScript often gives an ARN in place of an object. */
function typeFaults({ removalPolicy, network }: SecurityDataConnectorProps, objects: Entry): Fault[] {
  const faults = Object.entries(OBJECTS).flatMap(([path, [type, member]]) => {
    if (objects[path] === undefined || member in objectIn(objects[path])) return [];
    return [{ path, reason: `must be ${type.startsWith('I') ? 'an' : 'a'} ${type}, which has ${member}` }];
  });

  if (removalPolicy !== undefined && !REMOVAL_POLICIES.some(name => RemovalPolicy[name] === removalPolicy))
    faults.push({ path: 'removalPolicy', reason: `must be RemovalPolicy.${REMOVAL_POLICIES.join(', ')}` });
  if (network?.securityGroups?.length === 0)
    faults.push({ path: 'vpc.securityGroupIds', reason: 'must be a list of ISecurityGroup, one at least' });

  return faults;
}

/** Faults by the schema of `cdk.json`. Of a token, only whether it may be one can be said. */
function valueFaults(entry: Entry): Fault[] {
  const tokens = tokensIn(entry).map(path => path.slice(1));
  const mayBe = (path: string) => MAY_BE_TOKENS.some(allowed => path === allowed || path.startsWith(`${allowed}.`));
  const known = schemaFaults(connectorSchema, entry, '').map(({ path, reason }) => ({ path: path.slice(1), reason }));

  return [
    ...known.filter(({ path }) => !tokens.includes(path)),
    ...tokens
      .filter(path => !mayBe(path))
      .map(path => ({ path, reason: 'must be known when the app is synthesized, and is a token' })),
  ];
}

/** Paths of the tokens in a value, such as `.filters.threats`. */
function tokensIn(value: unknown): string[] {
  if (Token.isUnresolved(value)) return [''];
  if (Array.isArray(value)) return value.flatMap((item, index) => tokensIn(item).map(path => `[${index}]${path}`));
  return Object.entries(objectIn(value)).flatMap(([key, member]) => tokensIn(member).map(path => `.${key}${path}`));
}

/** The ARN counts before `env`, because some resources that the CDK imports have the account and region of the stack as `env`. */
function placeFaults(option: string, resource: unknown, stack: Place): Fault[] {
  const members = objectIn(resource);
  const named = members[OBJECTS[option as keyof typeof OBJECTS][1]];
  const inArn = knownPlace(placeInArn(objectIn(named)['deliveryStreamArn'] ?? named));
  const ofResource = knownPlace(objectIn(members['env']) as Place);
  const theirs = { account: inArn.account ?? ofResource.account, region: inArn.region ?? ofResource.region };

  // Without the six characters at its end, the ARN of a secret is not enough for another account.
  const isPartial = option.endsWith('secretArn') && members['secretFullArn'] === undefined;
  return misplaced(option, theirs, stack, isPartial ? ['account', 'region'] : undefined);
}

/** The parts of a place that are known at synth. */
function knownPlace({ account, region }: Place): Place {
  const known = (part: string | undefined) => (Token.isUnresolved(part) ? undefined : part);
  return { account: known(account), region: known(region) };
}

/** For example `props.destination.bufferInterval` for `destination.bufferSeconds`. */
function inPropNames({ path, reason }: Fault): Fault {
  const [, option = '', rest = ''] = /^(\w+)(.*)$/s.exec(path)!;
  const member = ['destination', 'vpc'].includes(option)
    ? rest.replace(/^\.(\w+)$/, (_, name) => `.${memberName(name)}`)
    : rest;
  return { path: `props.${PROP_NAMES[option] ?? option}${member}`, reason };
}

/** A destination calls its name as `cdk.json` does. */
function memberName(option: string): string {
  return option === 'name' ? option : (PROP_NAMES[option] ?? option);
}

/**
 * Members that are not props, but resemble one. TypeScript refuses them where an object is written down, and JavaScript nowhere. Other unknown
 * members are ignored, because the props of a stack often extend those of the construct.
 */
export function misspeltProps(props: SecurityDataConnectorProps): Fault[] {
  const { destination, siemReader, network } = props;
  const namesOf = (kind: { readonly entries: object } | undefined) => Object.keys(kind?.entries ?? {}).map(memberName);

  return [
    ...misspeltMembers('props', props, PROPS),
    ...misspeltMembers('props.destination', destination, namesOf(destination && DESTINATION_SCHEMAS[destination.type])),
    ...misspeltMembers('props.siemReader', siemReader, namesOf(siemReader && READER_SCHEMAS[siemReader.type])),
    ...misspeltMembers('props.network', network, ['vpc', 'subnets', 'securityGroups']),
  ];
}

function misspeltMembers(path: string, values: object | undefined, known: readonly string[]): Fault[] {
  const unknown = Object.keys(values ?? {}).filter(name => !known.includes(name));
  return unknown.flatMap(name => {
    const renamed = PROP_NAMES[name];
    const meant = renamed !== undefined && known.includes(renamed) ? renamed : similarName(name, known);
    return meant ? [{ path: `${path}.${name}`, reason: `is not a prop; did you mean ${meant}?` }] : [];
  });
}
