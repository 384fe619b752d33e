/**
 * Checks the props for problems that TypeScript cannot find. The props are converted to options of
 * `cdk.json`, so that the rules of `cdk.json` apply to them too.
 */
import { type Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { SecurityDataConnectorProps, SiemReader } from '../connector-props.ts';
import { entryProblems } from './entry-problems.ts';
import { type ExistingResource, placeInArn, placeProblems, type ResourcePlace } from './place.ts';
import { ConfigurationError, type Problem } from './problem.ts';
import { PROP_NAMES, pick, withoutUndefined } from './props.ts';
import { connectorSchema, DESTINATION_SCHEMAS, READER_SCHEMAS } from './schema.ts';
import { schemaProblems } from './schema-problems.ts';

/**
 * Options that may be tokens, whose values are known only at deployment, because nothing at synth
 * depends on them.
 */
const MAY_BE_TOKENS = [
  ...['name', 'baseUrl', 'authUrl', 'dnsBlocksPath', 'threatAssetField', 'rowsMember', 'paginationMember'],
  ...['logRetentionDays', 'retentionDays', 'alarmEmail', 'runbookUrl'],
  ...['url', 'name', 'bufferSeconds', 'retrySeconds', 'deliveryStreamArn'].map(member => `destination.${member}`),
  ...['principal', 'externalId', 'workspaceId', 'oidcProviderArn'].flatMap(member => [
    `siemReader.${member}`,
    `siemReaders[].reader.${member}`,
  ]),
  'siemReaders[].queueArn',
];

/** RemovalPolicy.SNAPSHOT is missing, because no resource of the connector supports snapshots. */
const { DESTROY, RETAIN, RETAIN_ON_UPDATE_OR_DELETE } = RemovalPolicy;
const REMOVAL_POLICIES: readonly unknown[] = [undefined, DESTROY, RETAIN, RETAIN_ON_UPDATE_OR_DELETE];

/**
 * @param scope scope of the connector. The account and the region of its stack are compared with
 * those of the existing resources
 * @throws {ConfigurationError} naming every problem
 */
export function checkProps(scope: Construct, props: SecurityDataConnectorProps): void {
  const wrong: Problem[] = [];
  const entry = entryOf(props, wrong);
  wrong.push(...valueProblems(entry));
  if (!REMOVAL_POLICIES.includes(props.removalPolicy))
    wrong.push({ path: 'removalPolicy', reason: 'must be RemovalPolicy.DESTROY, RETAIN, RETAIN_ON_UPDATE_OR_DELETE' });
  if (props.securityGroups?.length === 0)
    wrong.push({ path: 'securityGroups', reason: 'must be a list of ISecurityGroup, one at least' });
  for (const path of ['vpcSubnets', 'securityGroups'] as const)
    if (props[path] && !props.vpc) wrong.push({ path, reason: 'has no effect without vpc' });

  const arns = withoutUndefined({ bucketArn: props.bucket?.bucketArn, alarmTopicArn: props.alarmTopic?.topicArn });
  // Paths in the props are relative to the folder of cdk.json, which is the current folder when
  // the CDK runs the app.
  const { problems } = entryProblems({ ...entry, ...arns }, wrong, process.cwd());
  const all = [...problems, ...placeProblems(existingProps(props), knownPlace(Stack.of(scope)))];
  if (all.length === 0) return;
  throw new ConfigurationError(all.map(({ path, reason }) => ({ path: `props.${PROP_NAMES[path] ?? path}`, reason })));
}

/** Options whose prop has the same name and the same kind of value. */
const SAME_OPTIONS = Object.keys(connectorSchema.entries).filter(
  option => !(option in PROP_NAMES) && !['removalPolicy', 'vpc', 'destination'].includes(option),
);

/**
 * Converts the props to an entry of `cdk.json`, without objects of the CDK and without members that
 * are not props.
 */
function entryOf(props: SecurityDataConnectorProps, problems: Problem[]): Record<string, unknown> {
  const amount = (path: string, duration: Duration | undefined, unit: keyof typeof AMOUNTS) => {
    if (!duration?.isUnresolved() || duration.unitLabel() === unit) return duration && AMOUNTS[unit](duration);
    problems.push({ path, reason: `is a token, so it must be given as Duration.${unit}(…)` });
    return undefined;
  };
  const readerOf = (reader?: SiemReader) => reader && pick(reader, membersOf(reader, READER_SCHEMAS));

  const { siemReader, siemReaders } = props;
  const destination = props.destination?._given;
  return withoutUndefined({
    ...pick(props, SAME_OPTIONS),
    name: props.connectorName,
    refreshDays: amount('refreshDays', props.refresh, 'days'),
    rateMinutes: amount('rateMinutes', props.rate, 'minutes'),
    memoryMegabytes: props.memorySize,
    logRetentionDays: props.logRetention,
    retentionDays: amount('retentionDays', props.retention, 'days'),
    siemReader: readerOf(siemReader),
    siemReaders: siemReaders?.map(({ name, reader, queue }) =>
      withoutUndefined({ name, reader: readerOf(reader), queueArn: queue?.queueArn }),
    ),
    destination:
      destination &&
      withoutUndefined({
        ...pick(destination, membersOf(destination, DESTINATION_SCHEMAS)),
        bufferSeconds: amount('destination.bufferSeconds', destination.bufferInterval, 'seconds'),
        retrySeconds: amount('destination.retrySeconds', destination.retry, 'seconds'),
        deliveryStreamArn: destination.deliveryStream?.deliveryStreamRef.deliveryStreamArn,
      }),
  });
}

const AMOUNTS = {
  seconds: (duration: Duration) => duration.toSeconds({ integral: false }),
  minutes: (duration: Duration) => duration.toMinutes({ integral: false }),
  days: (duration: Duration) => duration.toDays({ integral: false }),
};

type Kinds = Readonly<Record<string, { readonly entries: object }>>;

/** Names of the options of a destination or reader. */
function membersOf({ type }: { readonly type: string }, kinds: Kinds): string[] {
  return ['type', ...Object.keys(kinds[type]?.entries ?? {})];
}

/**
 * Checks the values by the schema of `cdk.json`. A token has no value yet, so it is only checked
 * whether the option may be a token.
 */
function valueProblems(entry: object): Problem[] {
  const tokens = tokensIn(entry).map(path => path.slice(1));
  const refused = tokens.filter(path => !MAY_BE_TOKENS.includes(path.replace(/\[\d+\]/, '[]')));
  const reason = 'must be known when the app is synthesized, and is a token';

  return [
    ...schemaProblems(connectorSchema, entry).filter(({ path }) => !tokens.includes(path)),
    ...refused.map(path => ({ path, reason })),
  ];
}

/** Finds the paths of the tokens in a value, for example `.filters.threats`. */
function tokensIn(value: unknown): string[] {
  if (Token.isUnresolved(value)) return [''];
  if (Array.isArray(value)) return value.flatMap((item, index) => tokensIn(item).map(path => `[${index}]${path}`));
  const members = typeof value === 'object' ? Object.entries(value ?? {}) : [];
  return members.flatMap(([key, member]) => tokensIn(member).map(path => `.${key}${path}`));
}

/** Lists the existing resources among the props, with the paths of their options. */
function existingProps(props: SecurityDataConnectorProps): ExistingResource[] {
  const { secret, bucket, stateTable, encryptionKey, alarmTopic, siemReaders = [] } = props;
  const { secret: token, deliveryStream: stream } = props.destination?._given ?? {};

  const given: readonly (readonly [
    path: string,
    resource: { env: ResourcePlace } | undefined,
    arn: string | undefined,
  ])[] = [
    ['secretArn', secret, secret?.secretArn],
    ['bucketArn', bucket, bucket?.bucketArn],
    ['stateTableArn', stateTable, stateTable?.tableArn],
    ['kmsKeyArn', encryptionKey, encryptionKey?.keyArn],
    ['alarmTopicArn', alarmTopic, alarmTopic?.topicArn],
    ['destination.secretArn', token, token?.secretArn],
    ['destination.deliveryStreamArn', stream, stream?.deliveryStreamRef.deliveryStreamArn],
    ...siemReaders.map(({ queue }, index) => [`siemReaders[${index}].queueArn`, queue, queue?.queueArn] as const),
  ];

  return given.flatMap(([path, resource, arn = '']): ExistingResource[] => {
    if (!resource) return [];
    // The ARN takes precedence over `env`, because some resources that the CDK imports have the
    // account and region of the stack as `env`.
    const place = { ...knownPlace(resource.env), ...withoutUndefined(knownPlace(placeInArn(arn))) };
    // A secret can be found from another account only by its full ARN, which ends in six random
    // characters. Without them, the account of the secret must be that of the stack.
    const isPartial = 'secretArn' in resource && !('secretFullArn' in resource && resource.secretFullArn);
    return [{ path, place, parts: isPartial ? ['account', 'region'] : undefined }];
  });
}

/** Returns the parts of a place that are known at synth. */
function knownPlace({ account, region }: ResourcePlace): ResourcePlace {
  const known = (part: string | undefined) => (Token.isUnresolved(part) ? undefined : part);
  return { account: known(account), region: known(region) };
}
