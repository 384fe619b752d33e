/**
 * The schema of `cdk.json`: every option with its rule, its default and its description, from which the JSON Schema for editors and the table of
 * options follow. `props.ts` turns options into props of the construct.
 */
import * as v from 'valibot';
import { exactObject } from '../../lambda/exact-object.ts';
import { AUTH_URL, BASE_URL, FUNCTION_OPTIONS, integer } from '../../lambda/options.ts';
import { alarmOverridesSchema } from '../alarms/overrides.ts';
import { BUFFER_SECONDS, MOST_BUFFER_SECONDS, RETRY_SECONDS } from '../delivery/destinations.ts';
import { noProxySchema, proxyUrlSchema } from '../function/proxy.ts';
import { REGION } from '../region.ts';
import {
  accountId,
  address,
  arn,
  bucketArn,
  endpointUrl,
  flag,
  kmsKeyArn,
  oneOf,
  resourceId,
  secretArn,
  string,
  text,
} from './fields.ts';

type Schema = v.GenericSchema;

/** @param description sentences that editors and documents show */
function required<const S extends Schema>(schema: S, description: string) {
  return v.pipe(schema, v.description(description));
}

/** @param description sentences, of which the last one is `Left out: …` where there is no default */
function optional<const S extends Schema>(schema: S, description: string) {
  return v.optional(v.pipe(schema, v.description(description)));
}

function defaulting<const S extends Schema, const D extends v.InferInput<S>>(schema: S, value: D, description: string) {
  return v.optional(v.pipe(schema, v.description(description)), value as never);
}

const connectorName = v.pipe(
  string,
  v.maxLength(32, 'must have 32 characters at most, because names of resources are built from it'),
  v.regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'must be lower-case letters, digits and single hyphens, beginning with a letter: stacks, metrics and alarms are named after it',
  ),
);

/** CloudWatch Logs accepts these and no others. 9999 is `RetentionDays.INFINITE` of the CDK, which sets no retention. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653, 9999,
] as const;

const logRetentionDays = v.picklist(
  LOG_RETENTION_DAYS,
  `must be one of the days that CloudWatch Logs offers, with 9999 for logs that are kept for ever: ${LOG_RETENTION_DAYS.join(', ')}`,
);

/** The description of an alarm has at most 1,024 characters, and includes this address. */
const runbookUrl = v.pipe(text, v.maxLength(256, 'must have 256 characters at most'));

const tableArn = arn('dynamodb', 'table/[A-Za-z0-9_.-]{3,255}', 'arn:aws:dynamodb:eu-west-1:111122223333:table/name');
const topicArn = arn('sns', '[A-Za-z0-9_-]{1,256}', 'arn:aws:sns:eu-west-1:111122223333:topic');
const policyArn = arn('iam', 'policy/[\\w+=,.@/-]+', 'arn:aws:iam::111122223333:policy/name');

const deliveryStreamArn = arn(
  'firehose',
  'deliverystream/[A-Za-z0-9_.-]{1,64}',
  'arn:aws:firehose:eu-west-1:111122223333:deliverystream/name',
);

const oidcProviderArn = arn(
  'iam',
  'oidc-provider/sts\\.windows\\.net/[a-z0-9-]+/?',
  'arn:aws:iam::111122223333:oidc-provider/sts.windows.net/…/',
);

const principal = v.pipe(
  string,
  v.regex(
    /^(\d{12}|arn:aws[a-z-]*:iam::\d{12}:(root|(role|user)\/[\w+=,.@/-]+))$/,
    'must be an account id of 12 digits, or the ARN of a role or user',
  ),
);

const externalId = v.pipe(
  string,
  v.regex(/^[\w+=,.@:/-]{2,1224}$/, 'must be the external id that the SIEM’s form shows, 2 characters at least'),
);

function bufferSeconds(most: number) {
  const description = `How long Firehose buffers events before it delivers them, 0 to ${most} seconds.`;
  return defaulting(integer(0, most, 'seconds'), BUFFER_SECONDS, description);
}

function endpointSecret(member: string) {
  const description = `Existing secret with \`{"${member}"}\`. Left out: a secret with a placeholder is created, and an output has the command that fills it.`;
  return optional(secretArn, description);
}

const retrySeconds = defaulting(
  integer(0, 7200, 'seconds'),
  RETRY_SECONDS,
  'How long Firehose retries an unreachable endpoint before it writes events to the bucket, 7,200 seconds at most.',
);

export const DESTINATION_SCHEMAS = {
  s3: exactObject({ type: v.literal('s3'), bufferSeconds: bufferSeconds(MOST_BUFFER_SECONDS.s3) }),
  splunk: exactObject({
    type: v.literal('splunk'),
    url: required(
      endpointUrl,
      'Address of the HTTP Event Collector, with indexer acknowledgement enabled. https only.',
    ),
    secretArn: endpointSecret('hec_token'),
    bufferSeconds: bufferSeconds(MOST_BUFFER_SECONDS.splunk),
    retrySeconds,
  }),
  http: exactObject({
    type: v.literal('http'),
    url: required(
      endpointUrl,
      "Address that accepts Firehose's HTTP requests and splits records at line ends. https only.",
    ),
    name: optional(text, 'Name of the endpoint in the console. Left out: none.'),
    secretArn: endpointSecret('api_key'),
    bufferSeconds: bufferSeconds(MOST_BUFFER_SECONDS.http),
    retrySeconds,
  }),
  existing: exactObject({
    type: v.literal('existing'),
    deliveryStreamArn: required(
      deliveryStreamArn,
      'Delivery stream that accepts direct puts, in the same account and region.',
    ),
    deliversTo: defaulting(
      oneOf(['s3', 'splunk', 'http']),
      's3',
      'What that stream delivers to. The names of its metrics follow from it.',
    ),
  }),
};

export const READER_SCHEMAS = {
  'external-id': exactObject({
    type: v.literal('external-id'),
    principal: required(principal, 'Account id, or ARN of the role or user, that assumes the reader role.'),
    externalId: required(
      externalId,
      'External id that the SIEM presents, so that no other customer of it can use the role.',
    ),
  }),
  sentinel: exactObject({
    type: v.literal('sentinel'),
    workspaceId: required(v.pipe(string, v.uuid('must be a UUID')), 'Id of the Log Analytics workspace.'),
    cloud: defaulting(oneOf(['commercial', 'government']), 'commercial', 'Cloud of the workspace.'),
    oidcProviderArn: optional(
      oidcProviderArn,
      "ARN of an existing identity provider. Left out: the provider that Microsoft's guide creates in this account, by its well-known name.",
    ),
    createOidcProvider: defaulting(
      flag,
      false,
      'Whether to create the identity provider. An account can have it only once.',
    ),
  }),
};

/** A message about the type of an object that comes in several kinds. */
function kindMessage(kinds: object) {
  const names = Object.keys(kinds).map(type => JSON.stringify(type));
  const message = `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

  return ({ expected, received }: v.BaseIssue<unknown>) => {
    if (expected === 'Object') return 'must be an object';
    return received === 'undefined' ? `is required: ${message}` : message;
  };
}

const destination = v.variant('type', Object.values(DESTINATION_SCHEMAS), kindMessage(DESTINATION_SCHEMAS));
const siemReader = v.variant('type', Object.values(READER_SCHEMAS), kindMessage(READER_SCHEMAS));

const vpc = exactObject({
  vpcId: required(resourceId('vpc'), 'VPC of the function.'),
  subnetIds: required(
    v.pipe(v.array(resourceId('subnet'), 'must be a list'), v.minLength(1, 'must name one subnet at least')),
    'Subnets with a route to the API and to AWS.',
  ),
  securityGroupIds: optional(
    v.pipe(v.array(resourceId('sg'), 'must be a list'), v.minLength(1, 'must name one security group at least')),
    'Security groups of the function. Left out: one is created that allows the outbound connections of the function.',
  ),
});

type FunctionOptions = typeof FUNCTION_OPTIONS;
type FunctionEntries = { [K in keyof FunctionOptions]: OptionalOf<FunctionOptions[K]> };
type OptionalOf<O> = O extends { readonly schema: infer S extends Schema; readonly default?: infer D }
  ? v.OptionalSchema<S, Extract<D, v.Default<S, undefined>>>
  : never;

/** Options that only the function reads. */
const functionEntries: unknown = Object.fromEntries(
  Object.entries<{ schema: Schema; default?: unknown; text: string }>(FUNCTION_OPTIONS).map(([name, option]) => [
    name,
    v.optional(v.pipe(option.schema, v.description(option.text)), option.default),
  ]),
);

/** Options of the construct, by their names in `cdk.json`. */
export const connectorSchema = exactObject({
  name: required(
    connectorName,
    "Name of the connector, unique in account and region: in the stack's name, every event, metric and alarm. Lower-case letters, digits and single hyphens, 32 characters at most.",
  ),
  baseUrl: required(address(BASE_URL), 'Base URL of the API, without `/v1` or the path of a list. https only.'),
  authUrl: required(address(AUTH_URL), 'URL of the realm that issues tokens, or of its token endpoint. https only.'),
  ...(functionEntries as FunctionEntries),
  rateMinutes: defaulting(
    integer(1, 60, 'minutes'),
    1,
    'Time between two runs, in whole minutes from 1 to 60. The periods of the alarms follow from it.',
  ),
  enabled: defaulting(
    flag,
    true,
    'Whether the schedule runs. `false` pauses the connector and its alarms. Nothing is lost.',
  ),
  memoryMegabytes: defaulting(
    integer(256, 10240, 'megabytes'),
    1769,
    'Memory of the function in megabytes. With 1,769 it has a whole CPU, which a backfill needs to keep up with the API.',
  ),
  logRetentionDays: defaulting(
    logRetentionDays,
    90,
    'Days to keep logs. 9999 (`RetentionDays.INFINITE`) keeps them for ever, for 0.03 dollars a gigabyte and month.',
  ),
  retentionDays: defaulting(
    integer(1, 3650, 'days'),
    365,
    'Days to keep delivered events, backups and dead letters in the bucket that is created. Not with an existing bucket.',
  ),
  removalPolicy: defaulting(
    oneOf(['retain', 'destroy']),
    'retain',
    'What happens to the created table, bucket and secrets when they leave the stack: they are retained or destroyed. Unless destroyed, the table is also protected from deletion.',
  ),
  secretArn: optional(
    secretArn,
    'Existing secret with `{"client_id", "client_secret"}`, in the same region. Each connector needs its own. See docs/configuration.md#resources-of-another-account. Left out: a secret with a placeholder is created, and an output has the command that fills it.',
  ),
  bucketArn: optional(
    bucketArn,
    'Existing bucket for events, backups and dead letters. No other connector may use it, because readers may read all of `events/`. Configure it to notify the topic in the output `NewObjectsTopicArn` of objects below `events/`. Left out: a bucket is created.',
  ),
  stateTableArn: optional(
    tableArn,
    'Existing table of a connector that was removed, in the same account and region. The connector continues where that one ended. See docs/teardown.md#the-way-back. Left out: a table is created.',
  ),
  kmsKeyArn: optional(
    kmsKeyArn,
    "KMS key of the same region for table, bucket, secrets and delivery stream. An existing bucket, table or secret must use this key or AWS's own. Left out: keys of AWS.",
  ),
  destination: defaulting(
    destination,
    { type: 's3' },
    'What the delivery stream delivers to: an object whose `type` is `s3`, `splunk`, `http` or `existing`. See docs/configuration.md#destination.',
  ),
  siemQueue: defaulting(
    flag,
    true,
    'Whether the stack has a queue with a notification of each new object, for a SIEM. Only where the destination is S3.',
  ),
  siemReader: optional(
    siemReader,
    'Who may assume a role that reads queue and objects: an object whose `type` is `external-id` or `sentinel`. See docs/configuration.md#siem-reader. Left out: a policy to attach, and no role.',
  ),
  alarmEmail: optional(
    v.pipe(string, v.email('must be an e-mail address')),
    'Address to notify of alarms. Not with an existing topic. Left out: nobody is subscribed.',
  ),
  alarmTopicArn: optional(
    topicArn,
    'Existing topic to notify of alarms, in the same region. Where it is given by its ARN, its policy must allow CloudWatch to publish. See docs/configuration.md#resources-of-another-account. Left out: a topic is created.',
  ),
  alarms: defaulting(
    alarmOverridesSchema,
    {},
    'Changes of alarms, by name: another `threshold`, another `severity`, or `false` to leave the alarm out. See docs/configuration.md#alarms.',
  ),
  runbookUrl: defaulting(
    runbookUrl,
    'docs/runbook.md',
    'URL of your copy of the runbook. Each alarm links to its section. The default is a path, which no notification can open.',
  ),
  dashboard: defaulting(flag, false, 'Whether the stack has a dashboard in CloudWatch, which costs 3 dollars a month.'),
  vpc: optional(vpc, 'Network of the function. Its subnets must reach the API and AWS. Left out: that of Lambda.'),
  proxyUrl: optional(
    proxyUrlSchema,
    'URL of the proxy to the API, the token endpoint and AWS, such as `http://proxy.example.com:3128`, without user and password. See docs/configuration.md#proxy-and-private-certificates. Left out: no proxy.',
  ),
  noProxy: optional(
    noProxySchema,
    'Hosts to reach without the proxy, with the hosts below each: `amazonaws.com` where the network has VPC endpoints. Only with `proxyUrl`. Left out: every host is reached through the proxy.',
  ),
  caCertificates: optional(
    text,
    'PEM file with certificate authorities to trust beside the public ones, for a proxy that inspects TLS or an API with private certificates. The path is relative to the folder of `cdk.json`. Left out: the public certificate authorities alone.',
  ),
  permissionsBoundaryArn: optional(
    policyArn,
    'Policy that bounds every role of the stack. Left out: that of the scope, if any.',
  ),
});

/** One organization: one entry of the context `connectors`, one stack. */
export const entrySchema = exactObject({
  ...connectorSchema.entries,
  account: optional(accountId, 'Account to deploy to. Left out: that of the credentials in use.'),
  region: optional(
    v.pipe(string, v.regex(REGION, 'must be a region such as eu-west-1')),
    'Region to deploy to. Left out: that of the credentials in use.',
  ),
});

/** The context `connectors` of `cdk.json`. */
export const connectorsSchema = v.pipe(
  v.array(entrySchema, 'must be a list of connectors, or the JSON text of one'),
  v.minLength(1, 'must name one connector at least'),
);

/** One entry of the configuration, with every default filled in. */
export type ConnectorConfig = v.InferOutput<typeof entrySchema>;

/** Defaults of the options of the construct. */
export const DEFAULTS = v.getDefaults(connectorSchema);
