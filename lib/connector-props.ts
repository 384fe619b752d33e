import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Destination } from './delivery/destination.ts';
import type { Network } from './function/poller-network.ts';
import type { OcsfFieldsOption } from './ocsf/compile-fields.ts';
import type { SiemReader } from './siem/siem-reader.ts';

/** What a connector is made of. Only the name and the two addresses of the organization’s API are needed. */
export interface SecurityDataConnectorProps {
  /** Name of the connector, unique in its account and region: in every event, on every metric and alarm. Lower-case letters, digits and single hyphens, 32 at most. */
  readonly connectorName: string;

  /** Base URL of the API, without `/v1`. https only. */
  readonly baseUrl: string;

  /** URL of the realm that issues tokens, or of its token endpoint. https only. */
  readonly authUrl: string;

  /**
   * Path of the DNS block list below `baseUrl`.
   *
   * @default - the stream of DNS blocks is off, and has neither alarms nor widgets
   */
  readonly dnsBlocksPath?: string;

  /**
   * Member of a threat that names its asset.
   *
   * @default 'asset_id'
   */
  readonly threatAssetField?: string;

  /**
   * Rows asked for in one page, 1 to 500.
   *
   * @default 500
   */
  readonly pageLimit?: number;

  /**
   * Member of a response that holds the rows.
   *
   * @default - found by its shape
   */
  readonly rowsMember?: string;

  /**
   * Member of a response that holds the pagination object.
   *
   * @default - found by its shape
   */
  readonly paginationMember?: string;

  /**
   * How long a run holds the lease without renewing it, 1 to 900 seconds.
   *
   * @default - 60 seconds
   */
  readonly lease?: Duration;

  /**
   * Format of the events: the connector’s own envelope, or OCSF 1.8.0.
   *
   * @default 'envelope'
   */
  readonly format?: 'envelope' | 'ocsf';

  /**
   * Attribute of OCSF by member of a row, such as `{ fqdn: 'device.hostname' }`; below the name of a stream for that stream alone,
   * such as `{ threats: { score: 'risk_score' } }`. Only with the format `ocsf`.
   *
   * @default - members of rows stay in `unmapped`
   */
  readonly ocsfFields?: OcsfFieldsOption;

  /**
   * Time between two runs, in whole minutes from 1 to 60.
   *
   * @default Duration.minutes(1)
   */
  readonly rate?: Duration;

  /**
   * Whether the schedule runs. `false` pauses the connector, and its alarms are silent.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * Memory of the function in megabytes, which is also its share of a CPU.
   *
   * @default 1769
   */
  readonly memorySize?: number;

  /**
   * How long logs are kept.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * How long delivered events, backups and dead letters are kept in the bucket that is created here.
   *
   * @default Duration.days(365)
   */
  readonly retention?: Duration;

  /**
   * What becomes of the table, bucket and secrets that are created here when they leave the stack. Anything but `DESTROY` protects
   * the table from deletion as well, so an empty table stays when the creation of the stack fails.
   *
   * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE: kept, but not when their creation is rolled back
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Existing secret that holds `{"client_id": "…", "client_secret": "…"}`.
   *
   * @default - a secret with a placeholder is created, and an output says how to fill it
   */
  readonly secret?: ISecret;

  /**
   * Existing bucket for events, backups and dead letters, of this connector alone: readers are granted all of `events/`. Its
   * retention, encryption and access stay with its owner.
   *
   * @default - a bucket is created
   */
  readonly bucket?: IBucket;

  /**
   * Key that encrypts the table, bucket, secrets and delivery stream. An existing bucket or secret must be under the same key or under
   * AWS’s own.
   *
   * @default - keys owned or managed by AWS
   */
  readonly encryptionKey?: IKey;

  /**
   * Where the delivery stream delivers to, or an existing delivery stream.
   *
   * @default { type: 's3' }
   */
  readonly destination?: Destination;

  /**
   * Whether new objects are announced on a queue that a SIEM reads. Only where the destination is S3. A bucket that is brought must be told
   * to announce objects below `events/` there, which the queue accepts:
   * `bucket.addEventNotification(EventType.OBJECT_CREATED, new SqsDestination(connector.siem.queue), { prefix: 'events/' })`.
   *
   * @default true
   */
  readonly siemQueue?: boolean;

  /**
   * Whom a role trusts that may read the queue and the events.
   *
   * @default - no role; a managed policy to attach to one is there in any case
   */
  readonly siemReader?: SiemReader;

  /**
   * Whether the events can be asked in Athena: a database, views, a workgroup and a policy for analysts. Only where the destination is S3.
   *
   * @default false
   */
  readonly query?: boolean;

  /**
   * Gigabytes that one query in Athena may read, before it is stopped.
   *
   * @default 100
   */
  readonly queryScanGigabytes?: number;

  /**
   * Existing topic that alarms are sent to. Its policy must let CloudWatch publish.
   *
   * @default - a topic is created
   */
  readonly alarmTopic?: ITopic;

  /**
   * Address that alarms are sent to by the topic that is created here.
   *
   * @default - nobody is subscribed
   */
  readonly alarmEmail?: string;

  /**
   * Where on-call finds the runbook: each alarm links to its section.
   *
   * @default 'docs/runbook.md'
   */
  readonly runbookUrl?: string;

  /**
   * Network that the function runs in.
   *
   * @default - that of Lambda
   */
  readonly network?: Network;

  /**
   * Policy that bounds every role that is created here.
   *
   * @default - that of the scope, if any
   */
  readonly permissionsBoundary?: IManagedPolicy;

  /**
   * Tags of every resource that takes tags.
   *
   * @default - those of the scope, if any
   */
  readonly tags?: Readonly<Record<string, string>>;
}
