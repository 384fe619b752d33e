/** Every option of a connector, declared once: see config/option.ts for what follows from this table. */
import * as v from 'valibot';
import { AUTH_URL, BASE_URL, FUNCTION_OPTIONS, integer } from '../lambda/options.ts';
import { alarmOverridesSchema } from './alarms/overrides.ts';
import { accountId, address, arn, bucketArn, kmsKeyArn, PLACES, resourceId, secretArn, text } from './config/fields.ts';
import { type ConfigOf, type GroupFor, groupSchema, type OptionGroup } from './config/option.ts';
import type { SecurityDataConnectorProps } from './connector-props.ts';
import { destinationSchema } from './delivery/destinations.ts';
import { noProxySchema, proxyUrlSchema } from './function/proxy.ts';
import { REGION } from './region.ts';
import { siemReaderSchema } from './siem/readers.ts';

const connectorName = v.pipe(
  v.string('must be a string'),
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

const flag = v.boolean('must be true or false');

/** The description of an alarm has at most 1,024 characters, and includes this address. */
const runbookUrl = v.pipe(text, v.maxLength(256, 'must have 256 characters at most'));

const tableArn = arn('dynamodb', 'table/[A-Za-z0-9_.-]{3,255}', 'arn:aws:dynamodb:eu-west-1:111122223333:table/name');
const topicArn = arn('sns', '[A-Za-z0-9_-]{1,256}', 'arn:aws:sns:eu-west-1:111122223333:topic');
const policyArn = arn('iam', 'policy/[\\w+=,.@/-]+', 'arn:aws:iam::111122223333:policy/name');

/** A network in `cdk.json`. The construct takes a `Network`. */
export const VPC_OPTIONS = {
  required: {
    /** VPC of the function. */
    vpcId: { schema: resourceId('vpc') },
    /** Subnets with a route to the API and to AWS. */
    subnetIds: {
      schema: v.pipe(v.array(resourceId('subnet'), 'must be a list'), v.minLength(1, 'must name one subnet at least')),
    },
  },
  optional: {
    /**
     * Security groups of the function.
     *
     * @default - one is created that allows the outbound connections of the function
     */
    securityGroupIds: {
      schema: v.pipe(
        v.array(resourceId('sg'), 'must be a list'),
        v.minLength(1, 'must name one security group at least'),
      ),
    },
  },
} as const satisfies OptionGroup;

/** Options of the construct. */
export const CONNECTOR_OPTIONS = {
  required: {
    connectorName: { schema: connectorName, name: 'name', variable: 'CONNECTOR_NAME' },
    baseUrl: { schema: address(BASE_URL), variable: 'API_BASE_URL', late: true },
    authUrl: { schema: address(AUTH_URL), variable: 'AUTH_URL', late: true },
  },
  optional: {
    ...FUNCTION_OPTIONS,
    rate: { schema: integer(1, 60, 'minutes'), default: 1, name: 'rateMinutes', form: 'minutes' },
    enabled: { schema: flag, default: true },
    memorySize: { schema: integer(256, 10240, 'megabytes'), default: 1769, name: 'memoryMegabytes' },
    logRetention: { schema: logRetentionDays, default: 90, name: 'logRetentionDays', form: 'logRetention', late: true },
    retention: { schema: integer(1, 3650, 'days'), default: 365, name: 'retentionDays', form: 'days', late: true },
    removalPolicy: {
      schema: v.picklist(['retain', 'destroy'], 'must be "retain" or "destroy"'),
      default: 'retain',
      form: 'removalPolicy',
    },
    secret: { schema: secretArn, name: 'secretArn', form: 'secret', place: PLACES.secret },
    bucket: { schema: bucketArn, name: 'bucketArn', form: 'bucket', place: PLACES.bucket },
    stateTable: { schema: tableArn, name: 'stateTableArn', form: 'table', place: PLACES.table },
    encryptionKey: { schema: kmsKeyArn, name: 'kmsKeyArn', form: 'key', place: PLACES.key },
    destination: { schema: destinationSchema, default: { type: 's3' }, form: 'destination' },
    siemQueue: { schema: flag, default: true },
    siemReader: { schema: siemReaderSchema, form: 'siemReader' },
    alarmEmail: { schema: v.pipe(v.string('must be a string'), v.email('must be an e-mail address')), late: true },
    alarmTopic: { schema: topicArn, name: 'alarmTopicArn', form: 'topic', place: PLACES.topic },
    alarms: { schema: alarmOverridesSchema, default: {} },
    runbookUrl: { schema: runbookUrl, default: 'docs/runbook.md', late: true },
    dashboard: { schema: flag, default: false },
    network: { schema: groupSchema(VPC_OPTIONS), name: 'vpc', form: 'network' },
    proxyUrl: { schema: proxyUrlSchema, variable: 'HTTPS_PROXY' },
    noProxy: { schema: noProxySchema },
    caCertificates: { schema: text },
    permissionsBoundary: { schema: policyArn, name: 'permissionsBoundaryArn', form: 'managedPolicy' },
  },
} as const satisfies GroupFor<SecurityDataConnectorProps>;

/** Options of the stack around the construct. */
export const STACK_OPTIONS = {
  required: {},
  optional: {
    /**
     * Account to deploy to.
     *
     * @default - that of the credentials in use
     */
    account: { schema: accountId },

    /**
     * Region to deploy to.
     *
     * @default - that of the credentials in use
     */
    region: {
      schema: v.pipe(v.string('must be a string'), v.regex(REGION, 'must be a region such as eu-west-1')),
    },
  },
} as const satisfies OptionGroup;

type WithDefault<O> = { [K in keyof O]: O[K] extends { readonly default: unknown } ? K : never }[keyof O];

/** The props with every default filled in. */
export type ConnectorOptions = SecurityDataConnectorProps &
  Required<Pick<SecurityDataConnectorProps, WithDefault<(typeof CONNECTOR_OPTIONS)['optional']>>>;

/** One organization: one entry of the context `connectors` of `cdk.json`, one stack. */
export const connectorSchema = groupSchema({
  required: CONNECTOR_OPTIONS.required,
  optional: { ...CONNECTOR_OPTIONS.optional, ...STACK_OPTIONS.optional },
});

/** One entry of the configuration, with every default filled in. */
export type ConnectorConfig = ConfigOf<typeof CONNECTOR_OPTIONS> & ConfigOf<typeof STACK_OPTIONS>;

/** Defaults of the configuration. */
export const DEFAULTS = {
  rateMinutes: CONNECTOR_OPTIONS.optional.rate.default,
  memoryMegabytes: CONNECTOR_OPTIONS.optional.memorySize.default,
  retentionDays: CONNECTOR_OPTIONS.optional.retention.default,
  dashboard: CONNECTOR_OPTIONS.optional.dashboard.default as boolean,
} as const;
