/**
 * The alarms of a connector: metric alarms, and the composite alarms `critical` and `warning`,
 * which notify people.
 */
import { AlarmType, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { SEVERITIES } from '../../lib/alarms/alarm-definition.ts';
import { type Aws, collectItems } from './aws.ts';
import { awsCall } from './errors.ts';

export type MetricAlarmStatus = Awaited<ReturnType<typeof readAlarms>>['alarms'][number];

/** @throws AwsCallError */
export async function readAlarms(aws: Aws, connector: string) {
  const input = { AlarmNamePrefix: `${connector}/`, AlarmTypes: [AlarmType.MetricAlarm, AlarmType.CompositeAlarm] };
  const pages = await awsCall(
    collectItems(paginateDescribeAlarms({ client: aws.cloudWatch() }, input), page => [page]),
    `The alarms of ${connector} could not be read`,
  );
  const composite = pages.flatMap(page => page.CompositeAlarms ?? []);
  const notifiers = SEVERITIES.flatMap(name => {
    const found = composite.find(({ AlarmName }) => AlarmName === `${connector}/${name}`);
    return found ? [{ name, notifies: found.ActionsEnabled ?? true, rule: found.AlarmRule ?? '' }] : [];
  });

  const alarms = pages
    .flatMap(page => page.MetricAlarms ?? [])
    .map(alarm => ({
      /** Name of the alarm without the name of the connector, for example `stream-silent`. */
      name: alarm.AlarmName!.slice(connector.length + 1),
      state: alarm.StateValue ?? ('INSUFFICIENT_DATA' as const),
      /** Time of the last change of state, in milliseconds since 1970. */
      since: alarm.StateTransitionedTimestamp?.getTime() ?? alarm.StateUpdatedTimestamp?.getTime(),
      /**
       * Name of the composite alarm that contains this alarm. The composite alarm's rule quotes the
       * name or the ARN of each alarm.
       */
      severity: notifiers.find(
        ({ rule }) => rule.includes(`"${alarm.AlarmArn}"`) || rule.includes(`"${alarm.AlarmName}"`),
      )?.name,
      ...described(alarm),
      ends: endOf(alarm),
    }));
  return { alarms, notifiers };
}

/** Form of the descriptions that `create-alarms.ts` writes. */
const DESCRIPTION = /^(?:(?<meaning>.*) First run "(?<first>[^"]+)"\.)?.* Runbook: (?<runbook>\S+)$/s;

/**
 * Reads an alarm's description: its meaning for people and for the data, the command to run first,
 * and the link to its section of the runbook.
 */
function described({ AlarmDescription: text = '' }: MetricAlarm) {
  const { meaning, first, runbook } = DESCRIPTION.exec(text)?.groups ?? {};
  return { meaning, first, runbook };
}

/**
 * Tells when an alarm ends by itself: as soon as too few of its last periods have the problem. For
 * example, an alarm on 3 of 5 periods of 60 seconds ends 180 seconds after the last report of the
 * problem.
 */
function endOf({ Metrics = [], ...alarm }: MetricAlarm) {
  const { Period: period = 0, Stat: statistic } = Metrics.find(each => each.MetricStat)?.MetricStat ?? {
    Period: alarm.Period,
    Stat: alarm.Statistic,
  };
  const { EvaluationPeriods: periods = 0, DatapointsToAlarm: needed = periods } = alarm;
  return {
    /** Whether a single report without the problem ends the alarm. */
    withGoodReport: statistic === 'Minimum',
    /**
     * Seconds from the last report of the problem to the end of the alarm. Undefined if missing
     * reports count as the problem.
     */
    seconds: alarm.TreatMissingData === 'breaching' ? undefined : period * (periods - needed + 1),
  };
}
