/**
 * The types that the package publishes: the props of the construct, and its attributes.
 * `config/schema.ts` has the rules, the defaults and the names in `cdk.json`.
 */
import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Alarm, CompositeAlarm, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IManagedPolicy, ManagedPolicy, Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic, Subscription } from 'aws-cdk-lib/aws-sns';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { AlarmName } from './alarms/alarms.ts';
import type { Destination } from './delivery/destination.ts';

/** A value for each stream. The value of a stream may be absent. */
export interface ByStream<T> {
  /**
   * Value for assets.
   *
   * @default - none
   */
  readonly assets?: T;
  /**
   * Value for threats.
   *
   * @default - none
   */
  readonly threats?: T;
  /**
   * Value for DNS blocks.
   *
   * @default - none
   */
  readonly dnsBlocks?: T;
}

/**
 * Props of a connector. Only the name and the two addresses of the organization's API are required.
 */
export interface SecurityDataConnectorProps {
  /**
   * Name of the connector, unique in its account and region. It is part of the stack's name, and of
   * every event, metric and alarm. It has lower-case letters, digits and single hyphens, at most 32
   * characters.
   */
  readonly connectorName: string;

  /** Base URL of the API, without `/v1` or the path of a list. It must begin with https. */
  readonly baseUrl: string;

  /** URL of the realm that issues tokens, or of its token endpoint. It must begin with https. */
  readonly authUrl: string;

  /**
   * Path of the list of DNS blocks below baseUrl. To change it, see
   * docs/runbook.md#change-the-path-of-the-dns-blocks.
   *
   * @default - the stream is off
   */
  readonly dnsBlocksPath?: string;

  /**
   * JMESPath expression for each stream (`assets`, `threats`, `dnsBlocks`). A row is not sent if
   * the result of the expression is exactly `false`. See docs/filters.md.
   *
   * @default - every row is sent
   */
  readonly filters?: ByStream<string>;

  /**
   * Members to leave out of rows: for each stream a list of paths such as `contact.email`. See
   * docs/filters.md#leave-members-out.
   *
   * @default - rows are sent whole
   */
  readonly omit?: ByStream<string[]>;

  /**
   * Date from which DNS blocks are sent, such as `2026-01-31` (UTC), or a time with its zone. See
   * docs/filters.md#dns-blocks-from-a-date.
   *
   * @default - every block is sent
   */
  readonly dnsBlocksSince?: string;

  /**
   * Number of whole days within which every row that exists is sent again. Set it to the retention
   * of your SIEM. See docs/refresh.md.
   *
   * @default - a row is sent when it changes
   */
  readonly refresh?: Duration;

  /**
   * Number of days after which all rows are compared with the API again, and rows that the API does
   * not list any more are withdrawn. See docs/how-it-works.md.
   *
   * @default - rows are compared only when a command requests it
   */
  readonly reconcileDays?: number;

  /**
   * Member of a threat that names its asset. To change it, see
   * docs/runbook.md#change-the-member-that-names-a-threats-asset.
   *
   * @default 'asset_id'
   */
  readonly threatAssetField?: string;

  /**
   * Largest number of requests to the API in any minute, from 10 to 6,000. With a budget, a
   * backfill takes longer. See docs/configuration.md#a-budget-of-requests.
   *
   * @default - requests are not limited
   */
  readonly requestsPerMinute?: number;

  /**
   * Member of a response that holds the rows.
   *
   * @default - the member is found by its shape
   */
  readonly rowsMember?: string;

  /**
   * Member of a response that holds the pagination object.
   *
   * @default - the member is found by its shape
   */
  readonly paginationMember?: string;

  /**
   * Time between two runs, in whole minutes from 1 to 60. The periods of the alarms follow from it.
   *
   * @default Duration.minutes(1)
   */
  readonly rate?: Duration;

  /**
   * Whether the schedule runs. `false` pauses the connector and its alarms. Nothing is lost.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * Memory of the function in megabytes. With 1,769 megabytes the function has a whole CPU, which a
   * backfill needs to keep up with the API.
   *
   * @default 1769
   */
  readonly memorySize?: number;

  /**
   * Number of days to keep logs. 9999 (`RetentionDays.INFINITE`) keeps them for ever, for 0.03
   * dollars per gigabyte and month.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * Number of days to keep delivered events, backups and dead letters in the bucket that is
   * created. Not allowed with an existing bucket.
   *
   * @default Duration.days(365)
   */
  readonly retention?: Duration;

  /**
   * Removal policy of the created table, bucket and secrets when they leave the stack. Unless they
   * are destroyed, the table is also protected from deletion.
   *
   * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Existing secret with `{"client_id", "client_secret"}`, in the same region. Each connector needs
   * a secret of its own. See docs/configuration.md#existing-resources.
   *
   * @default - a secret with a placeholder is created, and an output has the command that fills it
   */
  readonly secret?: ISecret;

  /**
   * Existing bucket for events, backups and dead letters. No other connector may use it, because
   * readers may read all of `events/`. Configure it to notify the topic in the output
   * `NewObjectsTopicArn` of objects below `events/`.
   *
   * @default - a bucket is created
   */
  readonly bucket?: IBucket;

  /**
   * Existing table of a connector that was removed, in the same account and region. The connector
   * continues where the removed connector ended. See docs/lifecycle.md#the-way-back.
   *
   * @default - a table is created
   */
  readonly stateTable?: ITable;

  /**
   * KMS key of the same region for the table, the bucket, the secrets and the delivery stream. An
   * existing bucket, table or secret must use this key or a key of AWS.
   *
   * @default - keys of AWS
   */
  readonly encryptionKey?: IKey;

  /**
   * Destination to which the delivery stream delivers. See docs/configuration.md#destination.
   *
   * @default Destination.s3()
   */
  readonly destination?: Destination;

  /**
   * Whether the stack has a queue with a notification of each new object, for a SIEM. The queue
   * exists only if the destination is S3.
   *
   * @default true
   */
  readonly siemQueue?: boolean;

  /**
   * SIEM that may assume a role, which may read the queue and the objects. The value is an object
   * whose `type` is `external-id` or `sentinel`. See docs/configuration.md#siem-reader.
   *
   * @default - no role is created, and you attach the policy to a role of your own
   */
  readonly siemReader?: SiemReader;

  /**
   * Additional readers, each with a queue, a policy and alarms of its own. See
   * docs/configuration.md#several-readers.
   *
   * @default - only the reader of `siemQueue` and `siemReader`
   */
  readonly siemReaders?: readonly NamedSiemReader[];

  /**
   * E-mail address that is notified of alarms. Not allowed with an existing topic.
   *
   * @default - nobody is subscribed
   */
  readonly alarmEmail?: string;

  /**
   * Existing topic to notify of alarms, in the same region. If it is given by its ARN, its policy
   * must allow CloudWatch to publish. See docs/configuration.md#existing-resources.
   *
   * @default - a topic is created
   */
  readonly alarmTopic?: ITopic;

  /**
   * Changes of alarms, by name: another `threshold`, another `severity`, or `false` to leave the
   * alarm out. See docs/configuration.md#alarms.
   *
   * @default {}
   */
  readonly alarms?: AlarmOverrides;

  /**
   * URL of the runbook. Each alarm links to its section.
   *
   * @default - the runbook of the release. In a clone it is a path, which cannot be opened from a
   * notification
   */
  readonly runbookUrl?: string;

  /**
   * Whether the stack has a dashboard in CloudWatch, which costs 3 dollars per month.
   *
   * @default false
   */
  readonly dashboard?: boolean;

  /**
   * Whether the stack has exported outputs, by which connectorctl finds the connector. They keep a
   * second connector of the same name from being deployed.
   *
   * @default true
   */
  readonly outputs?: boolean;

  /**
   * VPC of the function. Its subnets must reach the API and AWS.
   *
   * @default - the network of Lambda
   */
  readonly vpc?: IVpc;

  /**
   * Subnets of the function.
   *
   * @default - the private subnets with egress
   */
  readonly vpcSubnets?: SubnetSelection;

  /**
   * Security groups of the function.
   *
   * @default - a group is created that allows outbound TCP to 443 and to the ports of the API and
   * its token endpoint
   */
  readonly securityGroups?: ISecurityGroup[];

  /**
   * URL of the proxy to the API, the token endpoint and AWS, such as
   * `http://proxy.example.com:3128`, without user and password. See
   * docs/configuration.md#proxy-and-private-certificates.
   *
   * @default - connections are direct
   */
  readonly proxyUrl?: string;

  /**
   * Hosts to reach without the proxy, including their subdomains. For example, `amazonaws.com` if
   * the network has VPC endpoints. Allowed only with `proxyUrl`.
   *
   * @default - every host is reached through the proxy
   */
  readonly noProxy?: string[];

  /**
   * PEM file with certificate authorities to trust in addition to the public authorities, for a
   * proxy that inspects TLS or an API with private certificates. The path is relative to the folder
   * of `cdk.json`.
   *
   * @default - only the public certificate authorities
   */
  readonly caCertificates?: string;

  /**
   * Policy that bounds every role of the stack.
   *
   * @default - the boundary of the scope, if the scope has a boundary
   */
  readonly permissionsBoundary?: IManagedPolicy;

  /**
   * Path of every role and managed policy that is created, such as `/security/`.
   *
   * @default '/'
   */
  readonly rolePath?: string;

  /**
   * Beginning of the name of every role and managed policy that is created, for example
   * `secops-acme-`. See docs/configuration.md#landing-zones.
   *
   * @default - CloudFormation names them after the stack
   */
  readonly namePrefix?: string;
}

/** SIEM that the reader role trusts. */
export type SiemReader = ExternalIdReader | SentinelReader;

/** A reader in addition to the reader of `siemQueue`. */
export interface NamedSiemReader {
  /**
   * Name of the reader, which is part of the names of its outputs and alarms. It has lower-case
   * letters, digits and hyphens, at most 11 characters.
   */
  readonly name: string;
  /**
   * SIEM that may assume a role, which may read the queue and the objects.
   *
   * @default - no role is created, and you attach the policy to a role of your own
   */
  readonly reader?: SiemReader;
  /**
   * Existing queue in the same region. The queue may also serve other connectors, and may belong to
   * another account. The owner of the queue sets its policy and its alarms. See
   * docs/configuration.md#one-queue-of-many-connectors.
   *
   * @default - a queue with a dead-letter queue and alarms is created
   */
  readonly queue?: IQueue;
}

/**
 * A SIEM that assumes a role from its own account and presents the external id that its form shows.
 */
export interface ExternalIdReader {
  /** Type of a reader that presents an external id. */
  readonly type: 'external-id';
  /** Account id, or ARN of the role or user, that assumes the reader role. */
  readonly principal: string;
  /** External id that the SIEM presents, so that no other customer of the SIEM can use the role. */
  readonly externalId: string;
}

/** Microsoft Sentinel, which authenticates with OpenID Connect. */
export interface SentinelReader {
  /** Type of the reader Microsoft Sentinel. */
  readonly type: 'sentinel';
  /** Id of the Log Analytics workspace. */
  readonly workspaceId: string;
  /**
   * Cloud of the workspace.
   *
   * @default 'commercial'
   */
  readonly cloud?: 'commercial' | 'government';
  /**
   * ARN of an existing identity provider.
   *
   * @default - the provider that Microsoft's guide creates in this account, by its well-known name
   */
  readonly oidcProviderArn?: string;
  /**
   * Whether to create the identity provider. An account can have it only once.
   *
   * @default false
   */
  readonly createOidcProvider?: boolean;
}

/** Changes of one alarm. */
export interface AlarmOverride {
  /**
   * Value of the metric at which the alarm fires, greater than 0. docs/runbook.md has the metric
   * and unit of each alarm.
   *
   * @default - the threshold of the alarm
   */
  readonly threshold?: number;
  /**
   * Composite alarm to which the alarm belongs.
   *
   * @default - the severity of the alarm
   */
  readonly severity?: 'critical' | 'warning';
}

/** Changes by the name of the alarm. An alarm with `false` is not created. */
export type AlarmOverrides = { readonly [Name in AlarmName]?: AlarmOverride | false };

/**
 * Alarms of a connector. One composite alarm for each severity notifies the topic, and its
 * description names its alarms.
 */
export interface Alarms {
  /**
   * Each alarm by its name. Absent if the alarm is off, or if the connector does not have the
   * monitored part.
   */
  readonly byName: { readonly [Name in AlarmName]?: Alarm };
  /** Composite alarm that goes off when the SIEM does not receive events, or soon will not. */
  readonly critical: CompositeAlarm;
  /** Composite alarm that goes off when something needs attention within a working day. */
  readonly warning: CompositeAlarm;
}

/**
 * Name of a metric of the whole connector, in the namespace `SecurityDataConnector` with the
 * dimension `service`.
 */
export type ConnectorMetricName =
  | 'ContractErrors'
  | 'CredentialsRefused'
  | 'DeadLetters'
  | 'FilterErrors'
  | 'LeaseHeld'
  | 'RoleMissing'
  | 'WithdrawalsWaiting'
  | 'StreamsBehind'
  | 'StreamsFailed'
  | 'ThreatsWithoutAsset';

/** Name of a metric of one stream, which has the dimension `stream` as well. */
export type StreamMetricName =
  | 'EventsForwarded'
  | 'FilterErrors'
  | 'RowsFiltered'
  | 'RowsRead'
  | 'RowsRefreshed'
  | 'StreamFailed'
  | 'ThreatsWithdrawn'
  | 'TimeBudgetExceeded';

/** Name of a stream, as in the member `stream` of events. */
export type StreamName = 'assets' | 'threats' | 'dns-blocks';

/** Options of the method `metric`. */
export interface ConnectorMetricOptions extends MetricOptions {
  /**
   * Stream that the metric describes. Required for metrics of streams.
   *
   * @default - the whole connector
   */
  readonly stream?: StreamName;
}

/**
 * A queue with a notification of each new object, and a policy that lets a SIEM read these objects
 * and this queue, but nothing else.
 */
export interface SiemAccess {
  /** Queue that receives a notification of each new object below `events/`. */
  readonly queue: IQueue;
  /**
   * Queue of notifications that the SIEM failed to process, or that the queue did not accept.
   * Absent if the queue existed before.
   */
  readonly deadLetters: Queue | undefined;
  /** Subscription that delivers the notifications from the topic of new objects to the queue. */
  readonly subscription: Subscription;
  /**
   * Policy that allows a role to read the queue and the objects. Attach it to the role of a SIEM.
   */
  readonly policy: ManagedPolicy;
  /** Role that the SIEM assumes. Absent without `siemReader`. */
  readonly role: Role | undefined;
}
