/** Every option of a connector, declared once: see config/option.ts for what follows from this table. */
import * as v from 'valibot';
import { AUTH_URL, BASE_URL, FUNCTION_OPTIONS, integer } from '../lambda/options.ts';
import { accountId, address, arn, bucketArn, kmsKeyArn, resourceId, secretArn, text } from './config/fields.ts';
import { type ConfigOf, type FilledPropsOf, groupSchema, type OptionGroup, type PropsOf } from './config/option.ts';
import { destinationSchema } from './delivery/destinations.ts';
import { ocsfFieldsSchema } from './ocsf/ocsf-fields-option.ts';
import { siemReaderSchema } from './siem/readers.ts';

const connectorName = v.pipe(
  v.string('must be a string'),
  v.maxLength(32, 'must have 32 characters at most, because names of resources are built from it'),
  v.regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'must be lower-case letters, digits and single hyphens, beginning with a letter: stacks, metrics and alarms are named after it',
  ),
);

/** CloudWatch Logs accepts these and no others. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

const logRetentionDays = v.picklist(
  LOG_RETENTION_DAYS,
  `must be one of the days that CloudWatch Logs offers: ${LOG_RETENTION_DAYS.join(', ')}`,
);

const flag = v.boolean('must be true or false');

const tagKey = v.pipe(
  v.string('must be a string'),
  v.regex(
    /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+@-]{1,128}$/u,
    'must have 1 to 128 letters, digits, blanks or _.:/=+@- and not begin with aws:',
  ),
);
const tagValue = v.pipe(v.string('must be a string'), v.maxLength(256, 'must have 256 characters at most'));

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
    /**
     * Name of the connector, unique in account and region: in the stack's name, every event, metric and alarm. Lower-case letters, digits and
     * single hyphens, 32 characters at most.
     */
    connectorName: { schema: connectorName, name: 'name', variable: 'CONNECTOR_NAME' },

    /** Base URL of the API, without `/v1` or the path of a list. https only. */
    baseUrl: { schema: address(BASE_URL), variable: 'API_BASE_URL' },

    /** URL of the realm that issues tokens, or of its token endpoint. https only. */
    authUrl: { schema: address(AUTH_URL), variable: 'AUTH_URL' },
  },
  optional: {
    ...FUNCTION_OPTIONS,

    /**
     * Attribute of OCSF by member of a row, such as `{"fqdn": "device.hostname"}`; below the name of a stream for that stream alone. Only with
     * the format `ocsf`: docs/ocsf.md#mapping.
     *
     * @default - members stay in `unmapped`
     */
    ocsfFields: { schema: ocsfFieldsSchema },

    /**
     * Time between two runs, in whole minutes from 1 to 60. The periods of the alarms follow from it.
     *
     * @default Duration.minutes(1)
     */
    rate: { schema: integer(1, 60, 'minutes'), default: 1, name: 'rateMinutes', form: 'minutes' },

    /**
     * Whether the schedule runs. `false` pauses the connector and its alarms. Nothing is lost.
     *
     * @default true
     */
    enabled: { schema: flag, default: true },

    /**
     * Memory of the function in megabytes. Its share of a CPU follows from it: 1,769 is a whole one, which a backfill needs to keep up with the
     * API.
     *
     * @default 1769
     */
    memorySize: { schema: integer(256, 10240, 'megabytes'), default: 1769, name: 'memoryMegabytes' },

    /**
     * Days that logs are kept.
     *
     * @default RetentionDays.THREE_MONTHS
     */
    logRetention: { schema: logRetentionDays, default: 90, name: 'logRetentionDays', form: 'logRetention' },

    /**
     * Days that delivered events, backups and dead letters are kept in the bucket that is created. Not with an existing bucket.
     *
     * @default Duration.days(365)
     */
    retention: { schema: integer(1, 3650, 'days'), default: 365, name: 'retentionDays', form: 'days' },

    /**
     * What happens to the table, bucket and secrets that are created when they leave the stack: they are retained, or destroyed. Unless destroyed,
     * the table is protected from deletion as well.
     *
     * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
     */
    removalPolicy: {
      schema: v.picklist(['retain', 'destroy'], 'must be "retain" or "destroy"'),
      default: 'retain',
      form: 'removalPolicy',
    },

    /**
     * Existing secret with `{"client_id", "client_secret"}`. One secret serves one connector.
     *
     * @default - a secret with a placeholder is created, and an output has the command that fills it
     */
    secret: { schema: secretArn, name: 'secretArn', form: 'secret' },

    /**
     * Existing bucket for events, backups and dead letters, of this connector alone: readers may read all of `events/`. Configure it to send
     * notifications of objects below `events/` to the queue in the output `SiemQueueArn`.
     *
     * @default - a bucket is created
     */
    bucket: { schema: bucketArn, name: 'bucketArn', form: 'bucket' },

    /**
     * KMS key for table, bucket, secrets and delivery stream. An existing bucket or secret must use the same key or AWS's own.
     *
     * @default - keys of AWS
     */
    encryptionKey: { schema: kmsKeyArn, name: 'kmsKeyArn', form: 'key' },

    /**
     * What the delivery stream delivers to: see the kinds below.
     *
     * @default { type: 's3' }
     */
    destination: { schema: destinationSchema, default: { type: 's3' }, form: 'destination' },

    /**
     * Whether a queue of this stack receives a notification of each new object, for a SIEM. Only where the destination is S3.
     *
     * @default true
     */
    siemQueue: { schema: flag, default: true },

    /**
     * Who may assume a role that reads queue and objects: see the kinds below.
     *
     * @default - a policy to attach, and no role
     */
    siemReader: { schema: siemReaderSchema, form: 'siemReader' },

    /**
     * Whether analysts can query the events in Athena: docs/query.md. Only where the destination is S3.
     *
     * @default false
     */
    query: { schema: flag, default: false },

    /**
     * Gigabytes that one query in Athena may read before it is stopped: 100 cost half a dollar. Only with `query`.
     *
     * @default 100
     */
    queryScanGigabytes: { schema: integer(1, 100_000, 'gigabytes'), default: 100 },

    /**
     * Address that alarms notify. Not with an existing topic.
     *
     * @default - nobody is subscribed
     */
    alarmEmail: { schema: v.pipe(v.string('must be a string'), v.email('must be an e-mail address')) },

    /**
     * Existing topic that alarms notify. Its policy must allow CloudWatch to publish.
     *
     * @default - a topic is created
     */
    alarmTopic: { schema: topicArn, name: 'alarmTopicArn', form: 'topic' },

    /**
     * URL of your copy of the runbook. Each alarm links to its section. The default is a path, which no notification can open.
     *
     * @default 'docs/runbook.md'
     */
    runbookUrl: { schema: text, default: 'docs/runbook.md' },

    /**
     * Whether the stack has a dashboard in CloudWatch, which costs 3 dollars a month.
     *
     * @default false
     */
    dashboard: { schema: flag, default: false },

    /**
     * Network that the function runs in. Its subnets must reach the API and AWS.
     *
     * @default - that of Lambda
     */
    network: { schema: groupSchema(VPC_OPTIONS), name: 'vpc', form: 'network' },

    /**
     * Policy that bounds every role of the stack.
     *
     * @default - that of the scope, if any
     */
    permissionsBoundary: { schema: policyArn, name: 'permissionsBoundaryArn', form: 'managedPolicy' },

    /**
     * Tags of every resource that takes tags.
     *
     * @default {}
     */
    tags: { schema: v.record(tagKey, tagValue), default: {} },
  },
} as const satisfies OptionGroup;

/** Options of the stack around the construct. */
export const STACK_OPTIONS = {
  required: {},
  optional: {
    /**
     * Whether CloudFormation refuses to delete the stack.
     *
     * @default true
     */
    terminationProtection: { schema: flag, default: true },

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
      schema: v.pipe(
        v.string('must be a string'),
        v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1'),
      ),
    },
  },
} as const satisfies OptionGroup;

/** What a connector is made from. Only the name and the two addresses of the organization's API are required. */
export interface SecurityDataConnectorProps extends PropsOf<typeof CONNECTOR_OPTIONS> {}

/** The same with every default filled in. */
export type ConnectorOptions = FilledPropsOf<typeof CONNECTOR_OPTIONS>;

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
