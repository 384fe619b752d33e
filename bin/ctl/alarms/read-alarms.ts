/** The alarms of a connector, as they stand: those that watch one thing, and `page` and `ticket`, which tell people. */
import { AlarmType, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import type { Aws } from '../aws.ts';
import { AwsCallError } from '../errors.ts';

/** What the two that tell people are called. */
export const URGENCIES = ['page', 'ticket'] as const;

export type Urgency = (typeof URGENCIES)[number];

export interface AlarmState {
  /** Without the connector's name, for example `stream-silent/assets`. */
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  /** Milliseconds since 1970 of its last change of state. */
  readonly since: number | undefined;
  /** Which of the two that tell people it belongs to. */
  readonly urgency: Urgency | undefined;
  /** Its section of the runbook. */
  readonly runbook: string | undefined;
  /** Seconds over which it judges. */
  readonly checks: number;
}

export interface Notifier {
  readonly name: Urgency;
  readonly state: AlarmState['state'];
  /** Whether it tells anybody. */
  readonly tells: boolean;
  /** ARNs of what it tells. */
  readonly actions: readonly string[];
}

export interface Alarms {
  readonly alarms: readonly AlarmState[];
  readonly notifiers: readonly Notifier[];
}

/** @throws AwsCallError */
export async function readAlarms(aws: Aws, connector: string): Promise<Alarms> {
  const found: Found = { metric: [], composite: [] };
  const input = { AlarmNamePrefix: `${connector}/`, AlarmTypes: [AlarmType.MetricAlarm, AlarmType.CompositeAlarm] };
  try {
    for await (const page of paginateDescribeAlarms({ client: aws.cloudWatch() }, input)) {
      found.metric.push(...(page.MetricAlarms ?? []));
      found.composite.push(...(page.CompositeAlarms ?? []));
    }
  } catch (cause) {
    const advice = 'Nothing was changed. You need cloudwatch:DescribeAlarms.';
    throw new AwsCallError(`The alarms of ${connector} could not be read`, advice, cause);
  }
  return alarmsOf(found, connector);
}

interface Found {
  readonly metric: MetricAlarm[];
  readonly composite: CompositeAlarm[];
}
type Page = Awaited<ReturnType<ReturnType<typeof paginateDescribeAlarms>['next']>>['value'] & object;
type MetricAlarm = NonNullable<Page['MetricAlarms']>[number];
type CompositeAlarm = NonNullable<Page['CompositeAlarms']>[number];

function alarmsOf({ metric, composite }: Found, connector: string): Alarms {
  const plain = (name = '') => name.slice(connector.length + 1);
  const alarms = metric.map(alarm => ({
    name: plain(alarm.AlarmName),
    state: alarm.StateValue ?? 'INSUFFICIENT_DATA',
    since: alarm.StateTransitionedTimestamp?.getTime() ?? alarm.StateUpdatedTimestamp?.getTime(),
    urgency: urgencyOf(alarm, composite, plain),
    runbook: / Runbook: (\S+)$/.exec(alarm.AlarmDescription ?? '')?.[1],
    checks:
      (alarm.Period ?? alarm.Metrics?.find(each => each.MetricStat)?.MetricStat?.Period ?? 0) *
      (alarm.EvaluationPeriods ?? 0),
  }));
  const notifiers = composite.flatMap(({ AlarmName, StateValue, ActionsEnabled = true, AlarmActions = [] }) => {
    const name = plain(AlarmName);
    return isUrgency(name)
      ? [{ name, state: StateValue ?? 'INSUFFICIENT_DATA', tells: ActionsEnabled, actions: AlarmActions }]
      : [];
  });
  return { alarms, notifiers };
}

/** The rule of a composite alarm names each alarm by its name or its ARN, in double quotes. */
function urgencyOf(
  { AlarmName, AlarmArn }: MetricAlarm,
  composites: readonly CompositeAlarm[],
  plain: (name?: string) => string,
) {
  const told = composites.find(
    ({ AlarmRule = '' }) => AlarmRule.includes(`"${AlarmArn}"`) || AlarmRule.includes(`"${AlarmName}"`),
  );
  const name = plain(told?.AlarmName);
  return isUrgency(name) ? name : undefined;
}

function isUrgency(name: string): name is Urgency {
  return URGENCIES.some(each => each === name);
}
