/**
 * The services that an operator calls: a function for each command, which answers from the state of
 * the account.
 */
import { randomUUID } from 'node:crypto';
import { computeStatistic, seriesKey } from '../../local/alarms/time-series.ts';
import type { CommandInput, LocalService } from '../../local/aws/call.ts';
import type { LocalAws } from '../../local/aws/local-aws.ts';
import { AwsError, arn } from '../../local/aws/service.ts';
import type { Account } from './account.ts';
import { PLACE } from './references.ts';

export interface OperatorServicesOptions {
  readonly account: Account;
  /** The services that the function calls, too. */
  readonly aws: LocalAws;
  /** Runs the function. What it throws is the error of the function. */
  readonly invoke: (payload: unknown) => unknown;
}

/** The services by the classes of their clients. */
export function operatorServices({
  account,
  aws,
  invoke,
}: OperatorServicesOptions): Readonly<Record<string, LocalService>> {
  return {
    CloudFormationClient: cloudFormation(account),
    CloudWatchClient: cloudWatch(account),
    CloudWatchLogsClient: logs(account),
    DynamoDBClient: dynamodb(aws),
    FirehoseClient: firehose(aws),
    LambdaClient: lambda(account, invoke),
    S3Client: s3(account, aws),
    SNSClient: sns(account),
    SQSClient: sqs(account),
    STSClient: sts(),
    SchedulerClient: scheduler(account),
    SecretsManagerClient: secrets(aws),
  };
}

function cloudFormation({ stacks }: Account): LocalService {
  return answering('cloudformation', ({ StackName = '*' }) => ofPlace('cloudformation', `stack/${StackName}/*`), {
    DescribeStacks({ StackName: name }) {
      const found = stacks.filter(({ StackName }) => name === undefined || StackName === name);
      if (name !== undefined && found.length === 0)
        throw new AwsError(400, 'ValidationError', `Stack with id ${name} does not exist`);
      return { Stacks: found };
    },
  });
}

function cloudWatch({ alarms, metrics }: Account): LocalService {
  const switchActions = (ActionsEnabled: boolean) => (input: CommandInput) => {
    for (const name of input.AlarmNames) Object.assign(alarms.get(name)!, { ActionsEnabled });
    return {};
  };
  const resource = ({ AlarmNames: names }: CommandInput) => (names ? ofPlace('cloudwatch', `alarm:${names[0]}`) : '*');
  return answering('cloudwatch', resource, {
    EnableAlarmActions: switchActions(true),
    DisableAlarmActions: switchActions(false),
    DescribeAlarms({ AlarmNamePrefix: prefix }) {
      const found = [...alarms.values()].filter(({ AlarmName = '' }) => AlarmName.startsWith(prefix));
      const isComposite = ({ AlarmRule: rule }: object & { AlarmRule?: string }) => rule !== undefined;
      return {
        CompositeAlarms: found.filter(isComposite),
        MetricAlarms: found.filter(alarm => !isComposite(alarm)),
      };
    },
    GetMetricData({ MetricDataQueries: queries, StartTime, EndTime }) {
      const [start, end] = [minuteOf(StartTime), minuteOf(EndTime)];
      const MetricDataResults = queries.map(({ Id, MetricStat: { Metric, Period, Stat } }: CommandInput) => {
        const minutes = Period / 60;
        const { Namespace: namespace, MetricName: metric, Dimensions } = Metric;
        const dimensions = Object.fromEntries(Dimensions.map(({ Name, Value }: CommandInput) => [Name, Value]));
        const points = periods(start, end, minutes).flatMap(minute => {
          const values = metrics.between(seriesKey({ namespace, metric, dimensions }), minute, minute + minutes);
          const value = Stat === 'SampleCount' ? values.length : computeStatistic(Stat, values);
          return values.length > 0 ? [{ time: new Date(minute * MINUTE), value }] : [];
        });
        return { Id, Timestamps: points.map(({ time }) => time), Values: points.map(({ value }) => value) };
      });
      return { MetricDataResults };
    },
  });
}

const MINUTE = 60_000;

export function minuteOf(time: Date | number): number {
  return Math.floor(Number(time) / MINUTE);
}

/** The first minutes of the periods of a span, newest first. */
function periods(start: number, end: number, minutes: number): number[] {
  return Array.from({ length: Math.ceil((end - start) / minutes) }, (_, at) => start + at * minutes).reverse();
}

function dynamodb({ services, names }: LocalAws): LocalService {
  return answeringToo(services.dynamodb, {
    DescribeTable({ TableName }) {
      if (TableName !== names.stateTable) throw missing('Requested resource');
      return { Table: { TableName, TableStatus: 'ACTIVE' } };
    },
  });
}

function firehose({ services, names }: LocalAws): LocalService {
  return answeringToo(services.firehose, {
    DescribeDeliveryStream({ DeliveryStreamName }) {
      if (DeliveryStreamName !== names.deliveryStream) throw missing(`Firehose ${DeliveryStreamName}`);
      return { DeliveryStreamDescription: { DeliveryStreamName, DeliveryStreamStatus: 'ACTIVE' } };
    },
    async PutRecord({ Record, ...input }) {
      await services.firehose.perform('PutRecordBatch', { ...input, Records: [Record] }, {});
      return { RecordId: randomUUID(), Encrypted: false };
    },
  });
}

function lambda({ configuration }: Account, invoke: OperatorServicesOptions['invoke']): LocalService {
  const { FunctionName: own } = configuration;
  const requireOwn = ({ FunctionName: name }: CommandInput) => {
    if (name !== own) throw missing(`Function ${name}`);
  };
  return answering('lambda', ({ FunctionName }) => ofPlace('lambda', `function:${FunctionName}`), {
    GetFunctionConfiguration(input) {
      requireOwn(input);
      return configuration;
    },
    async Invoke(input) {
      requireOwn(input);
      const payloadOf = (value: unknown) => ({ transformToString: () => JSON.stringify(value ?? null) });
      try {
        return { Payload: payloadOf(await invoke(JSON.parse(input.Payload.toString()))) };
      } catch (error) {
        const { name: errorType, message: errorMessage } = error as Error;
        return { FunctionError: 'Unhandled', Payload: payloadOf({ errorType, errorMessage }) };
      }
    },
  });
}

/** A pattern has optional terms: `?ERROR ?"Task timed out"` */
const TERM = /\?(?:"([^"]+)"|(\w+))/g;

function logs({ logs: lines }: Account): LocalService {
  return answering('logs', ({ logGroupName }) => ofPlace('logs', `log-group:${logGroupName}:*`), {
    FilterLogEvents({ filterPattern, startTime }) {
      const terms = [...filterPattern.matchAll(TERM)].map(([, quoted, word]) => quoted ?? word);
      const events = lines.filter(
        ({ timestamp, message }) => timestamp >= startTime && terms.some(term => message.includes(term)),
      );
      return { events };
    },
  });
}

function s3(account: Account, { services, store }: LocalAws): LocalService {
  return answeringToo(services.s3, {
    async ListObjectsV2({ Bucket, Prefix, MaxKeys = 1000 }) {
      const keys = await store.keys(Bucket, Prefix);
      const listed = keys.slice(0, MaxKeys).map(async Key => {
        const { bytes, modified } = await store.get(Bucket, Key);
        return { Key, Size: bytes.length, LastModified: modified };
      });
      const Contents = await Promise.all(listed);
      return { Contents, KeyCount: Contents.length, IsTruncated: keys.length > Contents.length };
    },
    async GetBucketNotificationConfiguration({ Bucket }) {
      await store.requireBucket(Bucket);
      return account.notifications;
    },
  });
}

function scheduler({ schedules }: Account): LocalService {
  const find = (name: string) => {
    const found = schedules.get(name);
    if (!found) throw missing(`Schedule ${name}`);
    return found;
  };
  return answering('scheduler', ({ Name }) => ofPlace('scheduler', `schedule/default/${Name}`), {
    GetSchedule: ({ Name }) => find(Name),
    /** An update replaces the whole schedule. */
    UpdateSchedule({ Name, ...members }) {
      find(Name);
      schedules.set(Name, { ...members, Name, LastModificationDate: new Date() });
      return {};
    },
  });
}

function secrets({ services, secret }: LocalAws): LocalService {
  return answeringToo(services.secrets, {
    PutSecretValue({ SecretId, SecretString }) {
      if (SecretId !== secret.arn) throw missing('The secret');
      secret.put(SecretString);
      return {};
    },
  });
}

function sns({ topics }: Account): LocalService {
  return answering('sns', ({ TopicArn }) => TopicArn, {
    ListSubscriptionsByTopic({ TopicArn: topic }) {
      const Subscriptions = topics.get(topic);
      if (Subscriptions) return { Subscriptions };
      // A topic of another account is refused, whether it exists or not.
      if (topic.split(':')[4] !== PLACE.account)
        throw new AwsError(403, 'AuthorizationErrorException', 'Not authorized');
      throw new AwsError(404, 'NotFoundException', 'Topic does not exist');
    },
  });
}

function sqs({ queues }: Account): LocalService {
  return answering('sqs', ({ QueueUrl: url }) => ofPlace('sqs', url.slice(url.lastIndexOf('/') + 1)), {
    GetQueueAttributes({ QueueUrl: url }) {
      const waiting = queues.get(url);
      if (waiting === undefined) throw new AwsError(400, 'QueueDoesNotExist', 'The queue does not exist.');
      return { Attributes: { ApproximateNumberOfMessages: String(waiting) } };
    },
  });
}

function sts(): LocalService {
  return answering('sts', () => '*', {
    GetCallerIdentity: () => ({ Account: PLACE.account, Arn: `arn:aws:iam::${PLACE.account}:user/operator` }),
  });
}

/** The answers to commands by their names. */
type Answers = Readonly<Record<string, (input: CommandInput) => object | Promise<object>>>;

/** The actions that a policy must allow, where their names differ from those of the commands. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  GetBucketNotificationConfiguration: 'GetBucketNotification',
  Invoke: 'InvokeFunction',
  ListObjectsV2: 'ListBucket',
};

function answering(name: LocalService['name'], resource: LocalService['resource'], answers: Answers): LocalService {
  const perform: LocalService['perform'] = action => {
    throw new AwsError(400, 'UnknownOperationException', `${action} is not part of this account.`);
  };
  return answeringToo({ name, resource, perform }, answers);
}

/** Adds answers to a service of the function. */
function answeringToo(service: LocalService, answers: Answers): LocalService {
  return {
    ...service,
    permission: (input, action) => PERMISSIONS[action] ?? service.permission?.(input, action) ?? action,
    async perform(action, input, fault) {
      const answer = answers[action];
      return answer ? { output: await answer(input) } : service.perform(action, input, fault);
    },
  };
}

function missing(what: string): AwsError {
  return new AwsError(400, 'ResourceNotFoundException', `${what} does not exist.`);
}

function ofPlace(service: string, resource: string): string {
  return arn(PLACE, service, resource);
}
