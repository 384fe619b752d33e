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
import { Alarms, createAlarmTopic, isAddress } from './alarms/create-alarms.ts';
import { timingOf } from './alarms/timing.ts';
import { ConfigurationError } from './config/fault.ts';
import { checkProps, optionsOf } from './config/props.ts';
import { SHARED_BUCKET } from './config/read-connectors.ts';
import type { ConnectorOptions, SecurityDataConnectorProps } from './connector-options.ts';
import { createCredentials } from './credentials.ts';
import { createDashboard } from './dashboard/dashboard.ts';
import { createDataBucket } from './data-bucket.ts';
import { Delivery } from './delivery/delivery.ts';
import { bufferSecondsOf, deliveryMetricPrefix, kindOf } from './delivery/destinations.ts';
import { functionEnvironment } from './function/function-environment.ts';
import { type FunctionResources, Poller } from './function/poller.ts';
import { addOutputs } from './outputs.ts';
import { Query } from './query/query.ts';
import { Schedule } from './schedule.ts';
import { SiemAccess } from './siem/siem-access.ts';
import { createStateTable } from './state-table.ts';

/** Not every region and checker accepts tags on dashboards yet. */
const TAGGED = { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] };

/**
 * Delivers one organization's changes from the API to its SIEM: a schedule, a function, its table and credentials, a delivery stream, a
 * bucket, a queue for the SIEM, alarms and a dashboard.
 */
export class SecurityDataConnector extends Construct {
  readonly credentials: ISecret;
  readonly bucket: IBucket;
  readonly state: ITable;
  readonly delivery: IDeliveryStreamRef;
  readonly function: IFunction;
  readonly alarmTopic: ITopic;
  /** Queue, policy and role of the SIEM. Absent where the destination is not S3 or `siemQueue` is false. */
  readonly siem: SiemAccess | undefined;
  /** Database, workgroup and policy of analysts. Absent unless `query` is true. */
  readonly query: Query | undefined;

  constructor(scope: Construct, id: string, props: SecurityDataConnectorProps) {
    super(scope, id);
    checkProps(props);
    if (props.bucket) this.refuseSharedBucket(props.bucket);
    const options = optionsOf(this, props);
    this.credentials = props.secret ?? createCredentials(this, options);
    const createdBucket = props.bucket ? undefined : createDataBucket(this, options);
    this.bucket = props.bucket ?? (createdBucket as IBucket);
    this.state = createStateTable(this, options);
    this.delivery = this.createDelivery(options);
    this.siem =
      options.siemQueue && kindOf(options.destination).deliversObjects
        ? new SiemAccess(this, 'Siem', { ...options, bucket: this.bucket, createdBucket })
        : undefined;
    this.query = options.query ? this.createQuery(options, createdBucket !== undefined) : undefined;
    this.alarmTopic = props.alarmTopic ?? createAlarmTopic(this, options);
    if ((props.alarmTopic || props.alarmEmail) && !isAddress(options.runbookUrl)) this.warnOfRunbook();
    const poller = this.createPoller(options);
    this.function = poller.function;
    // Another id would replace schedule, role and queue.
    const schedule = new Schedule(this, 'Tick', { ...options, function: this.function });
    const dashboard = this.createMonitoring(options, schedule);
    addOutputs(this, { connectorName: options.connectorName, logGroup: poller.logGroup, schedule, dashboard });
    if (props.permissionsBoundary) PermissionsBoundary.of(this).apply(props.permissionsBoundary);
    for (const [key, value] of Object.entries(props.tags ?? {})) Tags.of(this).add(key, value, TAGGED);
  }

  private warnOfRunbook(): void {
    const text =
      'Alarms notify somebody, but runbookUrl is not a URL. Notifications then name a file that on-call cannot open. ' +
      'Set runbookUrl to the address of docs/runbook.md in your Git server or wiki.';
    Annotations.of(this).addWarningV2('security-data-connector:runbookUrl', text);
  }

  /** `cdk.json` is checked for this, but another app may create two connectors with one bucket. */
  private refuseSharedBucket(bucket: IBucket): void {
    const arnOf = (each: IBucket) => JSON.stringify(Stack.of(this).resolve(each.bucketArn));
    const isShared = this.node.root.node.findAll().some(other => {
      if (!(other instanceof SecurityDataConnector) || other === this) return false;
      const theirs: IBucket | undefined = other.bucket;
      if (!theirs || theirs === bucket) return theirs === bucket;
      // An ARN that is known only at deployment can be compared within its own stack only.
      const isComparable = !Token.isUnresolved(bucket.bucketArn) || Stack.of(other) === Stack.of(this);
      return isComparable && arnOf(theirs) === arnOf(bucket);
    });
    if (isShared) throw new ConfigurationError([{ path: 'props.bucket', reason: SHARED_BUCKET }]);
  }

  /** The retention applies to a bucket that is created here. An existing one has its own rules. */
  private createQuery({ retention, ...options }: ConnectorOptions, isCreated: boolean): Query {
    return new Query(this, 'Query', { ...options, bucket: this.bucket, ...(isCreated && { retention }) });
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

  private createMonitoring(options: ConnectorOptions, schedule: Schedule) {
    const { connectorName, destination, memorySize } = options;
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
      memoryMegabytes: memorySize,
      bufferSeconds: bufferSecondsOf(destination),
      deliveryMetrics: deliveryMetricPrefix(destination),
      converts: kindOf(destination).converts ?? false,
    };
    const shared = { monitored, settings, streams: streamsOn(({ pathOption }) => options[pathOption]) };
    const alarms = new Alarms(this, 'Alarms', { ...options, ...shared, topic: this.alarmTopic });
    return createDashboard(this, { ...shared, alarms });
  }
}
