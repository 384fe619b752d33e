import * as v from 'valibot';
import {
  AUTH_URL,
  BASE_URL,
  LEASE_SECONDS,
  LIST_PATH,
  MEMBER_NAME,
  RESERVED_MEMBERS,
} from '../../lambda/setting-rules.ts';
import { PAGE_LIMIT } from '../../lambda/streams.ts';
import { DEFAULTS } from '../defaults.ts';
import { ocsfFieldsSchema } from '../ocsf/option-schema.ts';
import { destinationSchema } from './destination-schema.ts';
import { accountId, address, arn, bucketArn, integer, kmsKeyArn, option, secretArn, text } from './fields.ts';
import { siemReaderSchema } from './siem-reader-schema.ts';
import { vpcSchema } from './vpc-schema.ts';

/** CloudWatch Logs takes these and no others. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

const connectorName = v.pipe(
  v.string('must be a string'),
  v.maxLength(32, 'must have 32 characters at most, because names of resources are built from it'),
  v.regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
    'must be lower-case letters, digits and single hyphens, beginning with a letter: stacks, metrics and alarms are named after it',
  ),
);

const dnsBlocksPath = v.pipe(
  v.string('must be a string'),
  v.regex(LIST_PATH, 'must be a path that begins with / and holds no query, fragment or blank'),
);

const memberName = v.pipe(text, v.regex(MEMBER_NAME, 'must not begin or end with a blank'));

const assetMember = v.pipe(
  memberName,
  v.notValues(RESERVED_MEMBERS, 'must be the member that names the asset, not one that every row has'),
);

const flag = v.boolean('must be true or false');

const tagKey = v.pipe(
  v.string('must be a string'),
  v.regex(
    /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+@-]{1,128}$/u,
    'must have 1 to 128 letters, digits, blanks or _.:/=+@- and not begin with aws:',
  ),
);

/** One organization: one entry of the context `connectors`, one stack. */
export const connectorSchema = v.strictObject({
  name: option('Name of the connector: in the stack’s name, in every event and on every metric.', connectorName),
  baseUrl: option('Base URL of the API, without /v1.', address(BASE_URL)),
  authUrl: option('URL of the realm that issues tokens, or of its token endpoint.', address(AUTH_URL)),
  dnsBlocksPath: v.optional(
    option('Path of the DNS block list below baseUrl. Left out: the stream is off.', dnsBlocksPath),
  ),
  threatAssetField: v.optional(
    option('Member of a threat that names its asset.', assetMember),
    DEFAULTS.threatAssetField,
  ),
  pageLimit: v.optional(
    option('Rows asked for in one page.', integer(PAGE_LIMIT.min, PAGE_LIMIT.max, 'rows')),
    PAGE_LIMIT.default,
  ),
  rowsMember: v.optional(option('Member of a response that holds the rows. Left out: found by its shape.', memberName)),
  paginationMember: v.optional(
    option('Member of a response that holds the pagination object. Left out: found by its shape.', memberName),
  ),
  leaseSeconds: v.optional(
    option(
      'How long a run holds the lease without renewing it. Left out: 60.',
      integer(LEASE_SECONDS.min, LEASE_SECONDS.max, 'seconds'),
    ),
  ),
  format: v.optional(
    option('Format of the events.', v.picklist(['envelope', 'ocsf'], 'must be "envelope" or "ocsf"')),
    'envelope',
  ),
  ocsfFields: v.optional(
    option(
      'Attribute of OCSF by member of a row, or below the name of a stream. Left out: members stay in unmapped.',
      ocsfFieldsSchema,
    ),
  ),
  rateMinutes: v.optional(option('Minutes between two runs.', integer(1, 60, 'minutes')), DEFAULTS.rateMinutes),
  enabled: v.optional(option('Whether the schedule runs. false pauses the connector and its alarms.', flag), true),
  memoryMegabytes: v.optional(
    option('Memory of the function.', integer(256, 10240, 'megabytes')),
    DEFAULTS.memoryMegabytes,
  ),
  logRetentionDays: v.optional(
    option(
      'Days that logs are kept.',
      v.picklist(
        LOG_RETENTION_DAYS,
        `must be one of the days that CloudWatch Logs offers: ${LOG_RETENTION_DAYS.join(', ')}`,
      ),
    ),
    DEFAULTS.logRetentionDays,
  ),
  retentionDays: v.optional(
    option('Days that delivered events, backups and dead letters are kept in the bucket.', integer(1, 3650, 'days')),
    DEFAULTS.retentionDays,
  ),
  removalPolicy: v.optional(
    option(
      'What becomes of table, bucket and secret when the stack is deleted.',
      v.picklist(['retain', 'destroy'], 'must be "retain" or "destroy"'),
    ),
    'retain',
  ),
  terminationProtection: v.optional(option('Whether CloudFormation refuses to delete the stack.', flag), true),
  secretArn: v.optional(
    option('Existing secret with {"client_id", "client_secret"}. Left out: one is created.', secretArn),
  ),
  bucketArn: v.optional(option('Existing bucket for events and dead letters. Left out: one is created.', bucketArn)),
  kmsKeyArn: v.optional(
    option('KMS key for table, bucket, secrets and delivery stream. Left out: keys of AWS.', kmsKeyArn),
  ),
  destination: v.optional(
    option('Where the delivery stream delivers to. Left out: {"type": "s3"}.', destinationSchema),
    {
      type: 's3',
    },
  ),
  siemQueue: v.optional(
    option('Whether new objects are announced on a queue of this stack. Only where the destination is S3.', flag),
    true,
  ),
  siemReader: v.optional(
    option(
      'Whom a role that reads queue and objects trusts. Left out: a policy to attach, and no role.',
      siemReaderSchema,
    ),
  ),
  query: v.optional(
    option('Whether the events can be asked in Athena. Only where the destination is S3.', flag),
    false,
  ),
  queryScanGigabytes: v.optional(
    option('Gigabytes that one query in Athena may read.', integer(1, 100_000, 'gigabytes')),
    DEFAULTS.queryScanGigabytes,
  ),
  alarmEmail: v.optional(
    option(
      'Address that alarms are sent to.',
      v.pipe(v.string('must be a string'), v.email('must be an e-mail address')),
    ),
  ),
  alarmTopicArn: v.optional(
    option(
      'Existing topic that alarms are sent to. Left out: one is created.',
      arn('sns', '[A-Za-z0-9_-]{1,256}', 'arn:aws:sns:eu-west-1:111122223333:topic'),
    ),
  ),
  runbookUrl: v.optional(option('Where on-call finds the runbook: alarms link into it.', text), DEFAULTS.runbookUrl),
  vpc: v.optional(option('Network that the function runs in. Left out: that of Lambda.', vpcSchema)),
  permissionsBoundaryArn: v.optional(
    option(
      'Policy that bounds every role of the stack.',
      arn('iam', 'policy/[\\w+=,.@/-]+', 'arn:aws:iam::111122223333:policy/name'),
    ),
  ),
  tags: v.optional(
    option(
      'Tags of every resource that takes tags.',
      v.record(tagKey, v.pipe(v.string('must be a string'), v.maxLength(256, 'must have 256 characters at most'))),
    ),
    {},
  ),
  account: v.optional(option('Account to deploy to. Left out: that of the credentials in use.', accountId)),
  region: v.optional(
    option(
      'Region to deploy to. Left out: that of the credentials in use.',
      v.pipe(v.string('must be a string'), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1')),
    ),
  ),
});

/** One entry of the configuration, with every default filled in. */
export type ConnectorConfig = v.InferOutput<typeof connectorSchema>;
