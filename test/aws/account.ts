/**
 * An account with one deployed stack. Its parts have the shapes in which AWS answers them, and
 * tests may change each of them.
 */
import type { Stack } from '@aws-sdk/client-cloudformation';
import type { MetricAlarm } from '@aws-sdk/client-cloudwatch';
import type { FunctionConfiguration } from '@aws-sdk/client-lambda';
import type { NotificationConfiguration } from '@aws-sdk/client-s3';
import type { GetScheduleOutput } from '@aws-sdk/client-scheduler';
import type { Subscription } from '@aws-sdk/client-sns';
import { RecordedMetrics } from '../../local/alarms/time-series.ts';
import {
  type ReferenceResolver,
  resolveText,
  resolveValue,
  resourcesOf,
  type Template,
} from '../../local/deployment/template.ts';

export interface Account {
  /** Every stack. The first one is deployed from the template. */
  readonly stacks: Stack[];
  /** The function and its settings. */
  readonly configuration: FunctionConfiguration;
  /** The schedules by name. */
  readonly schedules: Map<string, GetScheduleOutput>;
  /** The alarms by name. */
  readonly alarms: Map<string, Alarm>;
  readonly metrics: RecordedMetrics;
  /** Lines in the log group of the function. */
  readonly logs: LogLine[];
  /** The numbers of waiting messages by the URL of the queue. */
  readonly queues: Map<string, number>;
  /** The subscriptions by the ARN of the topic. */
  readonly topics: Map<string, Subscription[]>;
  /** Targets that the bucket notifies of new objects. */
  notifications: NotificationConfiguration;
}

/** A metric alarm. A composite alarm has a rule instead of a metric. */
export interface Alarm extends MetricAlarm {
  readonly AlarmRule?: string;
}

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly message: string;
}

export interface AccountOptions {
  readonly template: Template;
  readonly stackName: string;
  readonly references: ReferenceResolver;
  /** Variables of the function that replace those of the template. */
  readonly variables: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: properties of many types of resources
type Properties = any;

export function openAccount({ template, stackName, references, variables }: AccountOptions): Account {
  const resources = (type: string): [id: string, properties: Properties][] =>
    resourcesOf(template, type).map(([id, { Properties: given = {} }]) => [id, resolveValue(given, references)]);
  const [[functionId, { Environment: environment, ...settings }] = ['', {}]] = resources('AWS::Lambda::Function');
  const [[scheduleId, schedule] = ['', {}]] = resources('AWS::Scheduler::Schedule');
  const Name = references.ref(scheduleId);
  const [[, bucket] = ['', {}]] = resources('AWS::S3::Bucket');
  const alarms = [...resources('AWS::CloudWatch::Alarm'), ...resources('AWS::CloudWatch::CompositeAlarm')];
  const subscriptions = resources('AWS::SNS::Subscription').map(([, properties]) => properties);

  return {
    stacks: [
      {
        StackName: stackName,
        StackId: references.ref('AWS::StackId'),
        StackStatus: 'CREATE_COMPLETE',
        CreationTime: new Date(),
        Outputs: Object.entries(template.Outputs ?? {}).map(([OutputKey, { Value, Export }]) => ({
          OutputKey,
          OutputValue: resolveText(Value, references),
          ...(Export && { ExportName: resolveText(Export.Name, references) }),
        })),
      },
    ],
    configuration: {
      ...settings,
      FunctionName: references.ref(functionId),
      State: 'Active',
      LastUpdateStatus: 'Successful',
      Environment: { Variables: { ...environment?.Variables, ...variables } },
    },
    schedules: new Map([[Name, { ...schedule, Name }]]),
    alarms: new Map(
      alarms.map(([id, properties]) => [
        properties.AlarmName,
        {
          ...properties,
          AlarmArn: references.attribute(id, 'Arn'),
          ActionsEnabled: true,
          StateValue: 'OK',
          StateTransitionedTimestamp: new Date(),
        },
      ]),
    ),
    metrics: new RecordedMetrics(),
    logs: [],
    queues: new Map(resources('AWS::SQS::Queue').map(([id]) => [references.ref(id), 0])),
    topics: new Map(
      resources('AWS::SNS::Topic').map(([id]) => {
        const arn = references.ref(id);
        const own = subscriptions.filter(({ TopicArn }) => TopicArn === arn);
        return [arn, own.map(subscription => ({ ...subscription, SubscriptionArn: `${arn}:confirmed` }))];
      }),
    ),
    notifications: notificationsOf(bucket),
  };
}

/** CloudFormation and S3 have different names for the same members. */
function notificationsOf({ NotificationConfiguration: given = {} }: Properties): NotificationConfiguration {
  return {
    TopicConfigurations: (given.TopicConfigurations ?? []).map(({ Topic, Event, Filter }: Properties) => ({
      TopicArn: Topic,
      Events: [Event],
      Filter: { Key: { FilterRules: Filter.S3Key.Rules } },
    })),
  };
}
