/** The alarms of a connector: metric alarms, and the composite alarms `critical` and `warning`, which notify people. */
import { AlarmType, type CompositeAlarm, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { paginateListSubscriptionsByTopic } from '@aws-sdk/client-sns';
import { SEVERITIES, type Severity } from '../../lib/alarms/alarm-definition.ts';
import { type Aws, collected } from './aws.ts';
import { AwsCallError, awsCall } from './errors.ts';

export interface AlarmState {
  /** Without the connector's name, for example `stream-silent`. */
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  /** Milliseconds since 1970 of its last change of state. */
  readonly since: number | undefined;
  /** The composite alarm that contains it. */
  readonly severity: Severity | undefined;
  /** What it means for people and for the data. */
  readonly meaning: string | undefined;
  /** The command to run first. */
  readonly first: string | undefined;
  /** Link to its section of the runbook. */
  readonly runbook: string | undefined;
  readonly ends: AlarmEnd;
}

/** When an alarm ends by itself. */
export interface AlarmEnd {
  /** Whether a single report without the fault ends it. */
  readonly withGoodReport: boolean;
  /** How long after the last report of the fault it ends. Undefined if it takes missing reports for the fault. */
  readonly seconds: number | undefined;
}

export interface Notifier {
  readonly name: Severity;
  /** Whether its actions are enabled. */
  readonly notifies: boolean;
  /** ARNs of its alarm actions. */
  readonly actions: readonly string[];
}

export interface Alarms {
  readonly alarms: readonly AlarmState[];
  readonly notifiers: readonly Notifier[];
}

/** @throws AwsCallError */
export async function readAlarms(aws: Aws, connector: string): Promise<Alarms> {
  const input = { AlarmNamePrefix: `${connector}/`, AlarmTypes: [AlarmType.MetricAlarm, AlarmType.CompositeAlarm] };
  const pages = await awsCall(
    collected(paginateDescribeAlarms({ client: aws.cloudWatch() }, input), page => [page]),
    `The alarms of ${connector} could not be read`,
    'Nothing was changed.',
  );
  const plain = (name = '') => name.slice(connector.length + 1);
  const composite = pages.flatMap(page => page.CompositeAlarms ?? []);
  const metric = pages.flatMap(page => page.MetricAlarms ?? []);
  const alarms = metric.map(alarm => ({
    name: plain(alarm.AlarmName),
    state: alarm.StateValue ?? ('INSUFFICIENT_DATA' as const),
    since: alarm.StateTransitionedTimestamp?.getTime() ?? alarm.StateUpdatedTimestamp?.getTime(),
    severity: severityOf(alarm, composite, plain),
    ...described(alarm),
    ends: endOf(alarm),
  }));
  const notifiers = composite.flatMap(({ AlarmName, ActionsEnabled = true, AlarmActions = [] }) => {
    const name = plain(AlarmName);
    return isSeverity(name) ? [{ name, notifies: ActionsEnabled, actions: AlarmActions }] : [];
  });
  return { alarms, notifiers };
}

/** `create-alarms.ts` writes this text. */
const DESCRIPTION = /^(?:(?<meaning>.*) First run "(?<first>[^"]+)"\.)?.* Runbook: (?<runbook>\S+)$/s;

function described({ AlarmDescription: text = '' }: MetricAlarm) {
  const { meaning, first, runbook } = DESCRIPTION.exec(text)?.groups ?? {};
  return { meaning, first, runbook };
}

/** An alarm ends when one of its periods is without the fault: all of them must have it. */
function endOf({ Metrics = [], ...alarm }: MetricAlarm): AlarmEnd {
  const { Period: period = 0, Stat: statistic } = Metrics.find(each => each.MetricStat)?.MetricStat ?? {
    Period: alarm.Period,
    Stat: alarm.Statistic,
  };
  const { EvaluationPeriods: periods = 0, DatapointsToAlarm: needed = periods } = alarm;
  const seconds = alarm.TreatMissingData === 'breaching' ? undefined : period * (periods - needed + 1);
  return { withGoodReport: statistic === 'Minimum', seconds };
}

/** The rule of a composite alarm quotes the name or the ARN of each alarm. */
function severityOf(
  { AlarmName, AlarmArn }: MetricAlarm,
  composites: readonly CompositeAlarm[],
  plain: (name?: string) => string,
) {
  const parent = composites.find(
    ({ AlarmRule = '' }) => AlarmRule.includes(`"${AlarmArn}"`) || AlarmRule.includes(`"${AlarmName}"`),
  );
  const name = plain(parent?.AlarmName);
  return isSeverity(name) ? name : undefined;
}

function isSeverity(name: string): name is Severity {
  return SEVERITIES.some(each => each === name);
}

/** Protocols of a topic's subscriptions, for example `email`. Addresses are not read. */
export interface Subscriptions {
  readonly confirmed: readonly string[];
  /** SNS sends nothing to these yet. */
  readonly pending: readonly string[];
}

/** Why the subscriptions are not known: the topic does not exist, or SNS denies access. */
export type Refusal = 'gone' | 'refused';

/** @throws AwsCallError */
export async function readSubscriptions(aws: Aws, topicArn: string): Promise<Subscriptions | Refusal> {
  const confirmed: string[] = [];
  const pending: string[] = [];
  try {
    for await (const page of paginateListSubscriptionsByTopic({ client: aws.sns() }, { TopicArn: topicArn })) {
      for (const { SubscriptionArn: arn = '', Protocol: protocol = 'unknown' } of page.Subscriptions ?? []) {
        // Not every value is an ARN: "PendingConfirmation", or "Deleted" for a while after a deletion.
        if (arn.startsWith('arn:')) confirmed.push(protocol);
        else if (arn !== 'Deleted') pending.push(protocol);
      }
    }
    return { confirmed, pending };
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotFoundException') return 'gone';
    if (name === 'AuthorizationErrorException') return 'refused';
    throw new AwsCallError(`The subscriptions of ${topicArn} could not be read`, '', cause);
  }
}

export const PERMISSION = 'sns:ListSubscriptionsByTopic';
