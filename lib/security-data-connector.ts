import { Annotations, Stack, Stage, Token } from 'aws-cdk-lib';
import type { Dashboard, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Connections, IConnectable } from 'aws-cdk-lib/aws-ec2';
import { type Grant, type IGrantable, PermissionsBoundary, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { enabledStreams } from '../lambda/streams.ts';
import type { MonitoredParts } from './alarms/alarm-definition.ts';
import { createAlarms, createAlarmTopic, isWebAddress } from './alarms/create-alarms.ts';
import { alarmTimingOf } from './alarms/timing.ts';
import { checkProps } from './config/check-props.ts';
import { ConfigurationError } from './config/problem.ts';
import { type ConnectorOptions, withDefaults } from './config/props.ts';
import { SHARED_BUCKET_REASON, SHARED_TABLE_REASON } from './config/read-connectors.ts';
import { connectorMetric, deliveryMetric, type MetricSubject } from './connector-metrics.ts';
import type {
  Alarms,
  ConnectorMetricName,
  ConnectorMetricOptions,
  SecurityDataConnectorProps,
  SiemAccess,
  StreamMetricName,
  StreamName,
} from './connector-props.ts';
import { createCredentialsSecret } from './credentials.ts';
import { createDashboard } from './dashboard.ts';
import { DataBucket } from './data-bucket.ts';
import type { DestinationConfig } from './delivery/destination-config.ts';
import { MOST_BUFFER_SECONDS } from './delivery/firehose.ts';
import { createErrorQuery } from './error-query.ts';
import { type FunctionResources, functionEnvironment } from './function/function-environment.ts';
import { Poller } from './function/poller.ts';
import { type GrantedResources, grantStatements, operatorStatements } from './grants/grants.ts';
import { createNewObjectsTopic } from './new-objects-topic.ts';
import { addOutputs } from './outputs.ts';
import { createSiemAccess, readerStatements } from './readers/siem-access.ts';
import { nameRoles } from './role-names.ts';
import { Schedule } from './schedule.ts';
import { createStateTable } from './state-table.ts';

/**
 * Delivers one organization's changes from the API to its SIEM: a schedule, a function, its table
 * and credentials, a delivery stream, a bucket, a queue for the SIEM, alarms and, if requested, a
 * dashboard.
 */
export class SecurityDataConnector extends Construct implements IConnectable {
  /** Name of the connector, which is in every event, and on every metric and alarm. */
  readonly connectorName: string;
  /** Secret with the client credentials of the organization. */
  readonly credentials: ISecret;
  /**
   * Bucket of events, backups and dead letters. A bucket that the connector creates refuses
   * `addEventNotification`, because another notification would replace the notification that
   * reaches the SIEM. Subscribe to `newObjectsTopic` instead. `enableEventBridgeNotification` adds
   * EventBridge.
   */
  readonly bucket: IBucket;
  /**
   * Topic that is notified of each new object below `events/`. Absent unless the destination is S3.
   */
  readonly newObjectsTopic: Topic | undefined;
  /** Table of checkpoints, row states and the lease. */
  readonly state: ITable;
  /** Delivery stream of the events. */
  readonly delivery: IDeliveryStreamRef;
  /**
   * Function that reads the API. Add variables, layers or permissions to it as to any other
   * function.
   */
  readonly function: LambdaFunction;
  /** Logs of the function. */
  readonly logGroup: ILogGroup;
  /**
   * Each alarm by its name, and the composite alarms `critical` and `warning`, which notify the
   * topic.
   */
  readonly alarms: Alarms;
  /** Topic that the alarms notify. */
  readonly alarmTopic: ITopic;
  /** Dashboard in CloudWatch. Absent unless the option `dashboard` is true. */
  readonly dashboard: Dashboard | undefined;
  /**
   * Queue, policy and role of the SIEM. Absent if the destination is not S3, or if `siemQueue` is
   * false.
   */
  readonly siem: SiemAccess | undefined;
  /** Queue, policy and role of each reader in the prop `siemReaders`, by the name of the reader. */
  readonly siemReaders: Readonly<Record<string, SiemAccess>>;
  /** @internal */
  readonly _measured: MetricSubject;
  /** @internal */
  readonly _granted: GrantedResources;

  /**
   * Checks the props and creates the resources.
   *
   * @throws {ConfigurationError} naming every problem of the props
   */
  constructor(scope: Construct, id: string, props: SecurityDataConnectorProps) {
    super(scope, id);
    checkProps(this, props);
    refuseSharedName(this, props.connectorName);
    this.connectorName = props.connectorName;

    const options = withDefaults(props);
    this.credentials = props.secret ?? createCredentialsSecret(this, options);

    const createdBucket = props.bucket ? undefined : new DataBucket(this, 'Data', options);
    this.bucket = props.bucket ?? (createdBucket as IBucket);
    this.state = props.stateTable ?? createStateTable(this, options);
    if (props.bucket) refuseShared(this, 'bucket', ({ bucket }) => bucket?.bucketArn, SHARED_BUCKET_REASON);
    if (props.stateTable) refuseShared(this, 'stateTable', ({ state }) => state?.tableArn, SHARED_TABLE_REASON);
    if (props.bucket && !props.stateTable) warn(this, 'newTable', TABLE_IS_NEW);

    const destination = options.destination.bind(new Construct(this, 'Delivery'), { ...options, bucket: this.bucket });
    this.delivery = destination.deliveryStream;
    this.newObjectsTopic = destination.eventsInBucket
      ? createNewObjectsTopic(this, this.bucket, createdBucket)
      : undefined;
    const readers = createReaders(this, options, createdBucket);
    this.siem = readers.siem;
    this.siemReaders = readers.siemReaders;

    this.alarmTopic = props.alarmTopic ?? createAlarmTopic(this, options);
    if (props.alarmTopic) letCloudWatchPublish(this, props.alarmTopic);
    if ((props.alarmTopic || props.alarmEmail) && !isWebAddress(options.runbookUrl))
      warn(this, 'runbookUrl', RUNBOOK_IS_A_PATH);

    const poller = createPoller(this, options);
    this.function = poller.function;
    this.logGroup = poller.logGroup;
    createErrorQuery(this, this.connectorName, this.logGroup);

    // The id must stay Tick, because another id would replace the schedule, its role and its queue.
    // SNS delivers a notification only to the subscriptions that exist at that moment, so the queue
    // of the SIEM is subscribed before a run sends events.
    const schedule = new Schedule(this, 'Tick', {
      ...options,
      function: this.function,
      after: [this.siem, ...Object.values(this.siemReaders)].flatMap(siem => siem?.subscription ?? []),
    });

    const streams = enabledStreams(({ pathOption }) => options[pathOption]).map(({ name }) => name);
    this._measured = { connectorName: this.connectorName, streams };
    const monitored = monitoredParts(this, options, destination);
    this.alarms = createAlarms(this, { ...options, monitored, topic: this.alarmTopic });
    this.dashboard = options.dashboard ? createDashboard(this, { monitored, streams, alarms: this.alarms }) : undefined;

    addOutputs(this, schedule, options.outputs);
    this._granted = { schedule, encryptionKey: options.encryptionKey };
    if (props.permissionsBoundary) PermissionsBoundary.of(this).apply(props.permissionsBoundary);
    nameRoles(this, options);
  }

  /**
   * Connections of the function, for example to let it out to a proxy.
   *
   * @throws Error without the prop `vpc`
   */
  get connections(): Connections {
    return this.function.connections;
  }

  /**
   * Allows the commands of connectorctl that change nothing, such as `status`, `doctor` and
   * `verify`. This includes access to the client credentials of the API, because `doctor` and
   * `lookup` call the API, but not access to the delivered events.
   *
   * @param grantee role, user, group or managed policy that gets the statements
   */
  grantInspect(grantee: IGrantable): Grant {
    return grantStatements(grantee, operatorStatements(this, this._granted, 'inspect'));
  }

  /**
   * Allows all commands of connectorctl: the commands that `grantInspect` allows, and commands that
   * change something, such as `run`, `pause`, `resync`, `dead-letters redrive` and
   * `set-credentials`.
   *
   * @param grantee role, user, group or managed policy that gets the statements
   */
  grantOperate(grantee: IGrantable): Grant {
    return grantStatements(grantee, operatorStatements(this, this._granted, 'operate'));
  }

  /**
   * Allows a SIEM to read the events: objects below `events/`, the queue of their notifications,
   * and the key if there is one. Without `siemQueue` the SIEM may list the objects instead.
   *
   * @param grantee role, user, group or managed policy that gets the statements
   * @throws Error if the destination is not S3, because the events are not in the bucket
   */
  grantRead(grantee: IGrantable): Grant {
    if (!this.newObjectsTopic) {
      throw new Error(
        `The bucket of connector ${this.connectorName} has no events, because its destination is not S3. ` +
          'Grant access where the events are delivered to.',
      );
    }
    const props = { bucket: this.bucket, encryptionKey: this._granted.encryptionKey, queue: this.siem?.queue };
    return grantStatements(grantee, readerStatements(this, props));
  }

  /**
   * Returns a metric of the whole connector, or of one stream with the option `stream`. By default
   * it is a sum over five minutes, but a maximum for `StreamsFailed` and `StreamsBehind`. Most
   * metrics are sent only when they are not zero.
   *
   * @param name name of the metric
   * @param options statistic, period, label, and the stream
   * @throws Error for a name that is not sent, or a stream that is off
   */
  metric(name: ConnectorMetricName | StreamMetricName, options?: ConnectorMetricOptions): Metric {
    return connectorMetric(this._measured, name, options).attachTo(this);
  }

  /**
   * Number of streams that failed in a run. The statistic is the maximum, unless the options say
   * otherwise.
   */
  metricStreamsFailed(options?: MetricOptions): Metric {
    return this.metric('StreamsFailed', options);
  }

  /**
   * Number of streams that a run did not read to their end. The statistic is the maximum, unless
   * the options say otherwise.
   */
  metricStreamsBehind(options?: MetricOptions): Metric {
    return this.metric('StreamsBehind', options);
  }

  /** Rows that could not be sent as events and are kept as dead letters. */
  metricDeadLetters(options?: MetricOptions): Metric {
    return this.metric('DeadLetters', options);
  }

  /** Rows of a stream that were read from the API. This metric is sent even when it is zero. */
  metricRowsRead(stream: StreamName, options?: MetricOptions): Metric {
    return this.metric('RowsRead', { ...options, stream });
  }

  /** Events of a stream that the delivery stream accepted, of every kind. */
  metricEventsForwarded(stream: StreamName, options?: MetricOptions): Metric {
    return this.metric('EventsForwarded', { ...options, stream });
  }

  /** Threats that were withdrawn, for example because their asset was removed. */
  metricThreatsWithdrawn(options?: MetricOptions): Metric {
    return this.metric('ThreatsWithdrawn', { ...options, stream: 'threats' });
  }

  /** Rows of a stream that a filter excluded. */
  metricRowsFiltered(stream: StreamName, options?: MetricOptions): Metric {
    return this.metric('RowsFiltered', { ...options, stream });
  }

  /** Rows of a stream that were sent again because of `refresh`. */
  metricRowsRefreshed(stream: StreamName, options?: MetricOptions): Metric {
    return this.metric('RowsRefreshed', { ...options, stream });
  }
}

function createPoller(connector: SecurityDataConnector, options: ConnectorOptions): Poller {
  const { credentials, state, delivery, bucket } = connector;
  const resources: FunctionResources = { connectorName: options.connectorName, credentials, state, delivery, bucket };
  return new Poller(connector, 'Poller', {
    ...options,
    ...resources,
    addresses: [options.baseUrl, options.authUrl, ...(options.proxyUrl === undefined ? [] : [options.proxyUrl])],
    environment: functionEnvironment(options, resources),
  });
}

function createReaders(connector: SecurityDataConnector, options: ConnectorOptions, createdBucket?: DataBucket) {
  const { bucket, newObjectsTopic } = connector;
  if (!newObjectsTopic) {
    // The check of the props covers only the destinations of cdk.json, so destinations of an app
    // are checked here.
    const path = options.siemReader ? 'siemReader' : 'siemReaders';
    if (options.siemReader || options.siemReaders.length > 0)
      throw new ConfigurationError([
        { path: `props.${path}`, reason: 'has nothing to read: no events are in the bucket' },
      ]);
    return { siem: undefined, siemReaders: {} };
  }

  const props = { ...options, bucket, createdBucket, newObjectsTopic };
  const reader = options.siemReader;
  const siem = options.siemQueue ? createSiemAccess(new Construct(connector, 'Siem'), props, { reader }) : undefined;
  const within = new Construct(connector, 'SiemReaders');
  const byName = options.siemReaders.map(
    named => [named.name, createSiemAccess(new Construct(within, named.name), props, named)] as const,
  );
  return { siem, siemReaders: Object.fromEntries(byName) };
}

function warn(scope: Construct, id: string, text: string): void {
  Annotations.of(scope).addWarningV2(`security-data-connector:${id}`, text);
}

/** Collects the resources that the alarms and the dashboard watch. */
function monitoredParts(
  connector: SecurityDataConnector,
  { rate }: ConnectorOptions,
  { metricPrefix, bufferInterval }: DestinationConfig,
): MonitoredParts {
  const { connectorName, function: lambda, state, siem, delivery } = connector;
  return {
    connectorName,
    function: lambda,
    state,
    siem,
    siemReaders: connector.siemReaders,
    timing: alarmTimingOf(rate),
    bufferSeconds: bufferInterval?.toSeconds() ?? MOST_BUFFER_SECONDS.s3,
    deliveryMetricPrefix: metricPrefix,
    metric: (name, options) => connectorMetric(connector._measured, name, options),
    deliveryMetric: (name, options) => deliveryMetric(delivery, name, options),
  };
}

const RUNBOOK_IS_A_PATH =
  'Alarms notify somebody, but runbookUrl is not a URL. Notifications then name a file that on-call cannot open. ' +
  'Set runbookUrl to the address of docs/runbook.md in your Git server or wiki.';

function otherConnectors(connector: SecurityDataConnector): SecurityDataConnector[] {
  const all = connector.node.root.node.findAll();
  return all.filter(node => node instanceof SecurityDataConnector).filter(other => other !== connector);
}

/**
 * Refuses the name of another connector in the app. The check of `cdk.json` covers only the
 * connectors of that file, but an app may create the construct twice, with the same name or bucket.
 */
function refuseSharedName(connector: SecurityDataConnector, connectorName: string): void {
  const { account, region } = Stack.of(connector);
  const other = otherConnectors(connector).find(candidate => {
    const stack = Stack.of(candidate);
    return candidate.connectorName === connectorName && stack.account === account && stack.region === region;
  });
  if (!other) return;
  const reason = `"${connectorName}" is also the name of ${other.node.path}, and alarms, metrics and exports of one account and region are named after it`;
  // The stages of an app are often one stack in several accounts, and the credentials of a
  // deployment decide which account is used.
  const isOpen = Token.isUnresolved(account) || Token.isUnresolved(region);
  const mayDiffer = isOpen && Stage.of(other) !== Stage.of(connector);
  if (!mayDiffer) throw new ConfigurationError([{ path: 'props.connectorName', reason }]);
  const text = `${reason}. Deploy the stages to different accounts or regions, and give their stacks env so that this is checked.`;
  warn(connector, 'connectorName', text);
}

/**
 * Refuses a resource that another connector of the app has, whether the resource was created or
 * existed before.
 */
function refuseShared(
  connector: SecurityDataConnector,
  prop: 'bucket' | 'stateTable',
  arnOf: (connector: SecurityDataConnector) => string | undefined,
  reason: string,
): void {
  const arn = arnOf(connector);
  const resolved = (owner: SecurityDataConnector) => JSON.stringify(Stack.of(owner).resolve(arnOf(owner)));

  const isShared = otherConnectors(connector).some(other => {
    if (arnOf(other) === arn) return true;
    // An ARN that is known only at deployment can be compared within its own stack only.
    const isComparable = !Token.isUnresolved(arn) || Stack.of(other) === Stack.of(connector);
    return isComparable && resolved(other) === resolved(connector);
  });
  if (isShared) throw new ConfigurationError([{ path: `props.${prop}`, reason }]);
}

/**
 * Warning about a new table, because an existing bucket often belonged to a connector that was
 * removed.
 */
const TABLE_IS_NEW =
  'The bucket exists, and the table is new. If a connector with this bucket ran before, the SIEM gets everything once more, but not what ' +
  'was removed meanwhile. Give its table as stateTable (stateTableArn): then the connector continues where it ended. ' +
  'Otherwise delete the copy of the SIEM. See docs/lifecycle.md, The way back.';

/**
 * Allows CloudWatch to publish to the topic. The default policy of a topic already allows this, but
 * an app may have given the topic a policy or a key that does not. A topic that is given by its ARN
 * is not changed. The condition names the account of the alarms, because the topic may belong to
 * another account.
 */
function letCloudWatchPublish(scope: Construct, topic: ITopic): void {
  const { account } = Stack.of(scope);
  const conditions = { StringEquals: { 'aws:SourceAccount': account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));

  const topicAccount = Stack.of(topic).account;
  if (!Token.isUnresolved(account) || Token.isUnresolved(topicAccount)) return;
  const text =
    `alarmTopic is in a stack of account ${topicAccount}, and the account of this stack is not known at synth. The policy of the topic lets the alarms of ` +
    `account ${topicAccount} publish. If the connector is deployed to another account, nobody is notified: give its stack env with account and region.`;
  warn(scope, 'alarmTopicAccount', text);
}
