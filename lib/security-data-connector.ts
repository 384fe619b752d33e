import { Annotations, Stack, Tags, Token } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { IDeliveryStreamRef } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { streamsOn } from '../lambda/streams.ts';
import { Alarms, isAddress } from './alarms/alarm-board.ts';
import { createAlarmTopic } from './alarms/alarm-topic.ts';
import { timingOf } from './alarms/timing.ts';
import { checkProps } from './check-props.ts';
import { SHARED_BUCKET } from './config/collisions.ts';
import { ConfigurationError } from './config/configuration-error.ts';
import { type ConnectorOptions, optionsOf } from './connector-options.ts';
import type { SecurityDataConnectorProps } from './connector-props.ts';
import { createCredentials } from './credentials.ts';
import { createDashboard } from './dashboard/dashboard.ts';
import { createDataBucket } from './data-bucket.ts';
import { Delivery } from './delivery/delivery.ts';
import { bufferSecondsOf, converts, deliveryMetricPrefix } from './delivery/destination.ts';
import { functionEnvironment } from './function/function-environment.ts';
import type { FunctionResources } from './function/function-grants.ts';
import { Poller } from './function/poller.ts';
import { addOutputs } from './outputs.ts';
import { Query } from './query/query.ts';
import { Schedule } from './schedule.ts';
import { SiemAccess } from './siem/siem-access.ts';
import { createStateTable } from './state-table.ts';

/** CloudFormation took no tags on dashboards for long, and not every region and checker has learnt it. */
const TAGGED = { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] };

/**
 * Everything that brings one organization's changes from the API to its SIEM: a schedule, a function, its table and credentials, a
 * delivery stream, a bucket, a queue for the SIEM, alarms and a dashboard.
 */
export class SecurityDataConnector extends Construct {
  readonly credentials: ISecret;
  readonly bucket: IBucket;
  readonly state: ITable;
  readonly delivery: IDeliveryStreamRef;
  readonly function: IFunction;
  readonly alarmTopic: ITopic;
  /** Queue, policy and role of the SIEM; absent where the destination is not S3 or no queue is wanted. */
  readonly siem: SiemAccess | undefined;
  /** Database, workgroup and policy of analysts; absent unless wanted. */
  readonly query: Query | undefined;

  constructor(scope: Construct, id: string, props: SecurityDataConnectorProps) {
    super(scope, id);
    checkProps(props);
    if (props.bucket) this.refuseSharedBucket(props.bucket);
    const options = optionsOf(props);
    this.credentials = props.secret ?? createCredentials(this, options);
    const ownBucket = props.bucket ? undefined : createDataBucket(this, options);
    this.bucket = props.bucket ?? (ownBucket as IBucket);
    this.state = createStateTable(this, options);
    this.delivery = this.createDelivery(options);
    this.siem = options.siemQueue
      ? new SiemAccess(this, 'Siem', { ...options, bucket: this.bucket, ownBucket })
      : undefined;
    this.query = options.query ? this.createQuery(options, ownBucket !== undefined) : undefined;
    this.alarmTopic = props.alarmTopic ?? createAlarmTopic(this, options);
    if ((props.alarmTopic || props.alarmEmail) && !isAddress(options.runbookUrl)) this.warnOfRunbook();
    const poller = this.createPoller(options);
    this.function = poller.function;
    // The id is older than the class: another one would replace schedule, role and queue.
    const schedule = new Schedule(this, 'Tick', { ...options, function: this.function });
    const dashboard = this.watch(options, schedule);
    addOutputs(this, { connectorName: options.connectorName, logGroup: poller.logGroup, schedule, dashboard });
    if (props.permissionsBoundary) PermissionsBoundary.of(this).apply(props.permissionsBoundary);
    for (const [key, value] of Object.entries(props.tags ?? {})) Tags.of(this).add(key, value, TAGGED);
  }

  private warnOfRunbook(): void {
    const text =
      'Alarms notify somebody, but runbookUrl is no URL. The notification then names a file that on-call cannot open. ' +
      'Give runbookUrl the address of docs/runbook.md in your Git server or wiki.';
    Annotations.of(this).addWarningV2('security-data-connector:runbookUrl', text);
  }

  /** The configuration compares its entries; an app of somebody's own may make two connectors with one bucket. */
  private refuseSharedBucket(bucket: IBucket): void {
    const arnOf = (each: IBucket) => JSON.stringify(Stack.of(this).resolve(each.bucketArn));
    const isShared = this.node.root.node.findAll().some(other => {
      if (!(other instanceof SecurityDataConnector) || other === this) return false;
      const theirs: IBucket | undefined = other.bucket;
      if (!theirs || theirs === bucket) return theirs === bucket;
      // An ARN that is known only at deployment means something within its own stack alone.
      const isComparable = !Token.isUnresolved(bucket.bucketArn) || Stack.of(other) === Stack.of(this);
      return isComparable && arnOf(theirs) === arnOf(bucket);
    });
    if (isShared) throw new ConfigurationError([{ path: 'props.bucketArn', reason: SHARED_BUCKET }]);
  }

  /** The retention is of the bucket that is made here: one that is brought has rules of its own. */
  private createQuery({ retention, ...options }: ConnectorOptions, ownBucket: boolean): Query {
    return new Query(this, 'Query', { ...options, bucket: this.bucket, ...(ownBucket && { retention }) });
  }

  private createDelivery({ destination, ...options }: ConnectorOptions): IDeliveryStreamRef {
    if (destination.type === 'existing') return destination.deliveryStream;
    return new Delivery(this, 'Delivery', { ...options, destination, bucket: this.bucket }).stream;
  }

  private createPoller(options: ConnectorOptions): Poller {
    const { credentials, state, delivery, bucket } = this;
    const { connectorName } = options;
    const resources: FunctionResources = { connectorName, credentials, state, delivery, bucket };
    return new Poller(this, 'Poller', {
      ...options,
      ...resources,
      addresses: [options.baseUrl, options.authUrl],
      environment: functionEnvironment(options, resources),
    });
  }

  private watch(options: ConnectorOptions, schedule: Schedule) {
    const { connectorName, destination, memoryMegabytes } = options;
    const monitored = {
      connectorName,
      function: this.function,
      state: this.state,
      delivery: this.delivery,
      siem: this.siem,
      scheduleDeadLetters: schedule.deadLetters,
    };
    const settings = {
      timing: timingOf(options.rate),
      memoryMegabytes,
      bufferSeconds: bufferSecondsOf(destination),
      deliveryMetrics: deliveryMetricPrefix(destination),
      converts: converts(destination),
    };
    const shared = { monitored, settings, streams: streamsOn(({ pathOption }) => options[pathOption]) };
    const alarms = new Alarms(this, 'Alarms', { ...options, ...shared, topic: this.alarmTopic });
    return createDashboard(this, { ...shared, alarms });
  }
}
