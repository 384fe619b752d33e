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

/** The policies that the resources support. None of them supports snapshots. */
const REMOVAL_POLICIES = ['DESTROY', 'RETAIN', 'RETAIN_ON_UPDATE_OR_DELETE'] as const;

/**
 * @param scope of the connector, whose stack has an account and a region
 * @throws {ConfigurationError} naming every fault
 */
export function checkProps(scope: Construct, props: SecurityDataConnectorProps): void {
  const faults: Fault[] = [];
  const entry = entryOf(props, faults);
  faults.push(...valueFaults(entry));

  const { removalPolicy, network, bucket, alarmTopic } = props;
  if (removalPolicy !== undefined && !REMOVAL_POLICIES.some(name => RemovalPolicy[name] === removalPolicy))
    faults.push({ path: 'removalPolicy', reason: `must be RemovalPolicy.${REMOVAL_POLICIES.join(', ')}` });
  if (network?.securityGroups?.length === 0)
    faults.push({ path: 'vpc.securityGroupIds', reason: 'must be a list of ISecurityGroup, one at least' });

  const wrong = new Set(faults.map(({ path }) => path.split(/[.[]/)[0]));
  const all = Object.entries({ ...entry, ...defined({ bucketArn: bucket, alarmTopicArn: alarmTopic }) });
  const sound = Object.fromEntries(all.filter(([option]) => !wrong.has(option)));
  // The CDK runs an app in the folder of its cdk.json.
  faults.push(...contradictionsIn(sound), ...certificatesFaults(sound, process.cwd()));
  faults.push(...misplacedProps(props, knownPlace(Stack.of(scope))));

  if (faults.length > 0) throw new ConfigurationError(faults.map(inPropNames));
}

/** The props as an entry of `cdk.json`, without objects of the CDK and without members that are not props. */
function entryOf(props: SecurityDataConnectorProps, faults: Fault[]): Entry {
  const amount = (option: string, duration: Duration | undefined, unit: keyof typeof AMOUNTS) => {
    if (!duration?.isUnresolved() || duration.unitLabel() === unit) return duration && AMOUNTS[unit](duration);
    faults.push({ path: option, reason: `is a token, so it must be given as Duration.${unit}(…)` });
    return undefined;
  };

  const { siemReader, destination } = props;
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
    siemReader: siemReader && membersOf(siemReader, READER_SCHEMAS),
    destination: destination && {
      ...membersOf(destination, DESTINATION_SCHEMAS),
      ...('bufferInterval' in destination && {
        bufferSeconds: amount('destination.bufferSeconds', destination.bufferInterval, 'seconds'),
      }),
      ...('retry' in destination && {
        retrySeconds: amount('destination.retrySeconds', destination.retry, 'seconds'),
      }),
      ...('deliveryStream' in destination && {
        deliveryStreamArn: destination.deliveryStream.deliveryStreamRef.deliveryStreamArn,
      }),
    },
  });
}

const AMOUNTS = {
  seconds: (duration: Duration) => duration.toSeconds({ integral: false }),
  minutes: (duration: Duration) => duration.toMinutes({ integral: false }),
  days: (duration: Duration) => duration.toDays({ integral: false }),
};

type Kinds = Readonly<Record<string, { readonly entries: object }>>;

/** The members that belong to the kind of a destination or reader, without those whose option has another name. */
function membersOf(value: { readonly type: string }, kinds: Kinds): Record<string, unknown> {
  const members = Object.keys(kinds[value.type]?.entries ?? {});
  return pick(value, ['type', ...members.filter(member => memberName(member) === member)]);
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

/** Faults of resources in another place than the stack. */
function misplacedProps(props: SecurityDataConnectorProps, stack: Place): Fault[] {
  const { secret, bucket, stateTable, encryptionKey, alarmTopic, destination } = props;
  const token = destination && 'secret' in destination ? destination.secret : undefined;
  const stream = destination?.type === 'existing' ? destination.deliveryStream : undefined;

  const given: [option: string, resource: { env: Place } | undefined, arn: string | undefined][] = [
    ['secretArn', secret, secret?.secretArn],
    ['bucketArn', bucket, bucket?.bucketArn],
    ['stateTableArn', stateTable, stateTable?.tableArn],
    ['kmsKeyArn', encryptionKey, encryptionKey?.keyArn],
    ['alarmTopicArn', alarmTopic, alarmTopic?.topicArn],
    ['destination.secretArn', token, token?.secretArn],
    ['destination.deliveryStreamArn', stream, stream?.deliveryStreamRef.deliveryStreamArn],
  ];
  // Another account can find a secret only by its full ARN, which ends in six random characters.
  const isPartial = (resource: object) =>
    'secretArn' in resource && !('secretFullArn' in resource && resource.secretFullArn);

  return given.flatMap(([option, resource, arn]) => {
    if (!resource) return [];
    // The ARN counts before `env`, because some resources that the CDK imports have the account and region of the stack as `env`.
    const inArn = knownPlace(placeInArn(arn));
    const { account, region } = knownPlace(resource.env);
    const theirs = { account: inArn.account ?? account, region: inArn.region ?? region };
    return misplaced(option, theirs, stack, isPartial(resource) ? ['account', 'region'] : undefined);
  });
}

/** The parts of a place that are known at synth. */
function knownPlace({ account, region }: Place): Place {
  const known = (part: string | undefined) => (Token.isUnresolved(part) ? undefined : part);
  return { account: known(account), region: known(region) };
}

/** The same fault under the name of the prop: `destination.bufferSeconds` becomes `props.destination.bufferInterval`. */
function inPropNames({ path, reason }: Fault): Fault {
  const [, option = '', rest = ''] = /^(\w+)(.*)$/s.exec(path)!;
  const isObject = option === 'destination' || option === 'vpc';
  const member = isObject ? rest.replace(/(?<=^\.)\w+$/, memberName) : rest;
  return { path: `props.${PROP_NAMES[option] ?? option}${member}`, reason };
}

/** The name of an option as a member of a prop. A destination calls its name as `cdk.json` does. */
function memberName(option: string): string {
  return option === 'name' || !Object.hasOwn(PROP_NAMES, option) ? option : PROP_NAMES[option]!;
}

/**
 * Members that are not props, but resemble one. TypeScript refuses them where an object is written down, but not in an object that is passed on.
 * Other unknown members are ignored, because the props of a stack often extend those of the construct.
 */
export function misspeltProps(props: SecurityDataConnectorProps): Fault[] {
  const { destination } = props;
  const members = destination ? Object.keys(DESTINATION_SCHEMAS[destination.type].entries).map(memberName) : [];
  return [...misspelt('props', props, PROPS), ...misspelt('props.destination', destination ?? {}, members)];
}

function misspelt(path: string, values: object, known: readonly string[]): Fault[] {
  const unknown = Object.keys(values).filter(name => !known.includes(name));
  return unknown.flatMap(name => {
    const renamed = memberName(name);
    const meant = known.includes(renamed) ? renamed : similarName(name, known);
    return meant ? [{ path: `${path}.${name}`, reason: `is not a prop; did you mean ${meant}?` }] : [];
  });
}
