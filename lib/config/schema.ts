/**
 * The schema of `cdk.json`: every option with its rule and its default. docs/connectors.schema.json
 * describes the options, and `props.ts` converts them to props of the construct. Each message is
 * the reason that a person reads next to the option's path.
 */
import * as v from 'valibot';
import { AUTH_URL_SCHEMA, BASE_URL_SCHEMA, httpsUrlSchema, NEEDS_HTTPS } from '../../lambda/addresses.ts';
import { exactObject } from '../../lambda/exact-object.ts';
import { integerSchema, OPTIONS } from '../../lambda/options.ts';
import { alarmOverridesSchema } from '../alarms/overrides.ts';
import { DEFAULT_BUFFER_SECONDS, DEFAULT_RETRY_SECONDS, MOST_BUFFER_SECONDS } from '../delivery/firehose.ts';
import { noProxySchema, proxyUrlSchema } from '../function/proxy.ts';

const string = v.string('must be a string');
const text = v.pipe(string, v.minLength(1, 'must not be empty'));
const flag = v.boolean('must be true or false');

function matching(pattern: RegExp, message: string) {
  return v.pipe(string, v.regex(pattern, message));
}

function atMost(characters: number, because = '') {
  return v.maxLength<string, number, string>(characters, `must have ${characters} characters at most${because}`);
}

function quoted(words: readonly string[]): string {
  const all = words.map(word => JSON.stringify(word));
  return `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

/** Schema of an option that must be one of the given words. */
function oneOf<const T extends readonly string[]>(words: T) {
  return v.picklist(words, `must be ${quoted(words)}`);
}

const httpsAlone = v.startsWith<string, 'https://', string>('https://', NEEDS_HTTPS);

/**
 * Schema of an endpoint's URL. A query string is allowed, because some collectors need a query
 * string.
 */
const endpointUrl = v.pipe(
  httpsUrlSchema(['hash', 'username', 'password'], 'must hold no user, password or fragment'),
  httpsAlone,
);

/**
 * Schema of the ARN of one service, in any partition.
 *
 * @param resource regular expression for the text after the account
 */
function arn(service: string, resource: string, example: string) {
  return v.pipe(
    v.string('must be an ARN'),
    v.regex(
      new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]*:(\\d{12})?:${resource}$`),
      `must look like arn:aws:${service}:${example}`,
    ),
  );
}

const PLACE = 'eu-west-1:111122223333';

const KEY = 'key/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})';
const kmsKeyArn = arn('kms', KEY, `${PLACE}:key/01234567-89ab-cdef-0123-456789abcdef`);
const bucketArn = arn('s3', '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]', '::bucket-name');
const tableArn = arn('dynamodb', 'table/[A-Za-z0-9_.-]{3,255}', `${PLACE}:table/name`);
const queueArn = arn('sqs', '[A-Za-z0-9_-]{1,80}', `${PLACE}:queue`);
const topicArn = arn('sns', '[A-Za-z0-9_-]{1,256}', `${PLACE}:topic`);
const policyArn = arn('iam', 'policy/[\\w+=,.@/-]+', ':111122223333:policy/name');
const deliveryStreamArn = arn('firehose', 'deliverystream/[A-Za-z0-9_.-]{1,64}', `${PLACE}:deliverystream/name`);

const PROVIDER = 'oidc-provider/sts\\.windows\\.net/';
const oidcProviderArn = arn('iam', `${PROVIDER}[a-z0-9-]+/?`, ':111122223333:oidc-provider/sts.windows.net/…/');

/**
 * The ARN must have its last six characters, because a policy on an ARN without them does not match
 * the secret.
 */
const secretArn = arn(
  'secretsmanager',
  'secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}',
  `${PLACE}:secret:name-AbCdEf, with the six characters at its end`,
);

/** Schema of a list of ids of resources, with at least one id. */
function resourceIds(prefix: string, kind: string) {
  return v.pipe(v.array(resourceId(prefix), 'must be a list'), v.minLength(1, `must name one ${kind} at least`));
}

function resourceId(prefix: string) {
  return matching(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `must look like ${prefix}-0123456789abcdef0`);
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const IS_NAME = 'must be lower-case letters, digits and single hyphens';

const connectorName = v.pipe(
  string,
  atMost(32, ', because names of resources are built from it'),
  v.regex(NAME, `${IS_NAME}, beginning with a letter: stacks, metrics and alarms are named after it`),
);

/**
 * The only numbers of days that CloudWatch Logs accepts. 9999 is `RetentionDays.INFINITE` of the
 * CDK, which sets no retention.
 */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653, 9999,
] as const;

const logRetentionDays = v.picklist(
  LOG_RETENTION_DAYS,
  `must be one of the days that CloudWatch Logs offers, with 9999 for logs that are kept for ever: ${LOG_RETENTION_DAYS.join(', ')}`,
);

/**
 * Schema of the runbook's address. The address is short, because the description of an alarm
 * includes it, and a description has at most 1,024 characters.
 */
const runbookUrl = v.pipe(text, atMost(256));

const rolePath = v.pipe(
  string,
  v.regex(/^\/([!-~]+\/)?$/, 'must begin and end with a slash, as in /security/'),
  atMost(512),
);

/**
 * Schema of a prefix of names. IAM allows 64 characters for a name, and the rest of the name needs
 * up to 40.
 */
const namePrefix = matching(/^[\w+=,.@-]{1,24}$/, 'must have letters, digits and +=,.@-_ alone, 24 characters at most');

const principal = matching(
  /^(\d{12}|arn:aws[a-z-]*:iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]+))$/,
  'must be an account id of 12 digits, or the ARN of a role or user',
);

const externalId = matching(
  /^[\w+=,.@:/-]{2,1224}$/,
  'must be the external id that the SIEM’s form shows, 2 characters at least',
);

function bufferSeconds(most: number) {
  return v.optional(integerSchema(0, most, 'seconds'), DEFAULT_BUFFER_SECONDS);
}

/** Members that Splunk and any other HTTP endpoint have in common. */
const endpoint = { url: endpointUrl, secretArn: v.optional(secretArn) };
const retrySeconds = v.optional(integerSchema(0, 7200, 'seconds'), DEFAULT_RETRY_SECONDS);

export const DESTINATION_SCHEMAS = {
  s3: exactObject({ type: v.literal('s3'), bufferSeconds: bufferSeconds(MOST_BUFFER_SECONDS.s3) }),
  splunk: exactObject({
    type: v.literal('splunk'),
    ...endpoint,
    bufferSeconds: bufferSeconds(MOST_BUFFER_SECONDS.splunk),
    retrySeconds,
  }),
  http: exactObject({
    type: v.literal('http'),
    ...endpoint,
    name: v.optional(text),
    bufferSeconds: bufferSeconds(MOST_BUFFER_SECONDS.http),
    retrySeconds,
  }),
  existing: exactObject({
    type: v.literal('existing'),
    deliveryStreamArn,
    deliversTo: v.optional(oneOf(['s3', 'splunk', 'http', 'opensearch', 'iceberg', 'snowflake']), 's3'),
  }),
};

export const READER_SCHEMAS = {
  'external-id': exactObject({ type: v.literal('external-id'), principal, externalId }),
  sentinel: exactObject({
    type: v.literal('sentinel'),
    workspaceId: v.pipe(string, v.uuid('must be a UUID')),
    cloud: v.optional(oneOf(['commercial', 'government']), 'commercial'),
    oidcProviderArn: v.optional(oidcProviderArn),
    createOidcProvider: v.optional(flag, false),
  }),
};

/** Returns a function that makes the message about an object with a wrong `type`. */
function kindMessage(kinds: object) {
  const message = `must be ${quoted(Object.keys(kinds))}`;
  return ({ expected, received }: v.BaseIssue<unknown>) => {
    if (expected === 'Object') return 'must be an object';
    return received === 'undefined' ? `is required: ${message}` : message;
  };
}

const destination = v.variant('type', Object.values(DESTINATION_SCHEMAS), kindMessage(DESTINATION_SCHEMAS));
const siemReader = v.variant('type', Object.values(READER_SCHEMAS), kindMessage(READER_SCHEMAS));

/**
 * Schema of a reader's name. Names of roles and exports contain it, and have at most 64 characters.
 */
const readerName = v.pipe(string, v.regex(NAME, IS_NAME), atMost(11));

const siemReaders = v.pipe(
  v.array(
    exactObject({ name: readerName, reader: v.optional(siemReader), queueArn: v.optional(queueArn) }),
    'must be a list of readers',
  ),
  v.check(
    readers => new Set(readers.map(({ name }) => name)).size === readers.length,
    'must give each reader another name',
  ),
);

const vpc = exactObject({
  vpcId: resourceId('vpc'),
  subnetIds: resourceIds('subnet', 'subnet'),
  securityGroupIds: v.optional(resourceIds('sg', 'security group')),
});

/** Options of the construct, by their names in `cdk.json`. */
export const connectorSchema = exactObject({
  name: connectorName,
  baseUrl: v.pipe(BASE_URL_SCHEMA, httpsAlone),
  authUrl: v.pipe(AUTH_URL_SCHEMA, httpsAlone),
  ...OPTIONS,
  rateMinutes: v.optional(integerSchema(1, 60, 'minutes'), 1),
  enabled: v.optional(flag, true),
  // The function has a whole CPU from this size on, which a backfill needs to keep up with the API.
  memoryMegabytes: v.optional(integerSchema(256, 10240, 'megabytes'), 1769),
  logRetentionDays: v.optional(logRetentionDays, 90),
  retentionDays: v.optional(integerSchema(1, 3650, 'days'), 365),
  removalPolicy: v.optional(oneOf(['retain', 'destroy']), 'retain'),
  secretArn: v.optional(secretArn),
  bucketArn: v.optional(bucketArn),
  stateTableArn: v.optional(tableArn),
  kmsKeyArn: v.optional(kmsKeyArn),
  destination: v.optional(destination, { type: 's3' }),
  siemQueue: v.optional(flag, true),
  siemReader: v.optional(siemReader),
  siemReaders: v.optional(siemReaders, []),
  alarmEmail: v.optional(v.pipe(string, v.email('must be an e-mail address'))),
  alarmTopicArn: v.optional(topicArn),
  alarms: v.optional(alarmOverridesSchema, {}),
  runbookUrl: v.optional(runbookUrl),
  dashboard: v.optional(flag, false),
  outputs: v.optional(flag, true),
  vpc: v.optional(vpc),
  proxyUrl: v.optional(proxyUrlSchema),
  noProxy: v.optional(noProxySchema),
  caCertificates: v.optional(text),
  permissionsBoundaryArn: v.optional(policyArn),
  rolePath: v.optional(rolePath),
  namePrefix: v.optional(namePrefix),
});

/**
 * The form of a region's name, such as `eu-west-1`, `us-gov-west-1` or `eusc-de-east-1`. The form
 * also fits new regions, so they do not need a change here.
 */
const REGION = /^[a-z]{2,}(-[a-z]+)+-\d+$/;

/**
 * Schema of one entry of the context `connectors`. Each entry is one organization and becomes one
 * stack.
 */
export const entrySchema = exactObject({
  ...connectorSchema.entries,
  account: v.optional(matching(/^\d{12}$/, 'must be an account id of 12 digits')),
  region: v.optional(matching(REGION, 'must be a region such as eu-west-1')),
});

/** Schema of the context `connectors` of `cdk.json`. */
export const connectorsSchema = v.pipe(
  v.array(entrySchema, 'must be a list of connectors, or the JSON text of one'),
  v.minLength(1, 'must name one connector at least'),
);

/** One entry of the configuration, with every default filled in. */
export type ConnectorConfig = v.InferOutput<typeof entrySchema>;

/** Defaults of the options of the construct. */
export const CONNECTOR_DEFAULTS = v.getDefaults(connectorSchema);
