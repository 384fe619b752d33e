import { Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Stream } from '../../lambda/streams.ts';
import type { AlarmDefinition, AlarmSettings, Condition } from './alarm-fact.ts';
import { type Monitored, sourceOf } from './alarm-sources.ts';
import { ALARMS } from './alarms.ts';

export interface AlarmsProps {
  readonly monitored: Monitored;
  readonly settings: AlarmSettings;
  /** Streams that are on. */
  readonly streams: readonly Stream[];
  readonly topic: ITopic;
  /** Where the runbook is; an alarm's section follows from its name. */
  readonly runbookUrl: string;
  /** Whether anybody is told. A paused connector is silent on purpose. */
  readonly enabled: boolean;
}

/** Every alarm of the table that applies here, and the two that tell people: one pages, one waits for the morning. */
export class Alarms extends Construct {
  readonly page: cloudwatch.CompositeAlarm;
  readonly ticket: cloudwatch.CompositeAlarm;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const alarms = ALARMS.filter(fact => fact.applies?.(props.settings) ?? true).flatMap(fact =>
      this.create(fact, props).map(alarm => ({ alarm, urgency: fact.urgency })),
    );
    const ofUrgency = (urgency: AlarmDefinition['urgency']) =>
      alarms.filter(entry => entry.urgency === urgency).map(entry => entry.alarm);
    this.page = this.tell(
      'page',
      'The SIEM is not getting what it should, or soon will not.',
      ofUrgency('page'),
      props,
    );
    this.ticket = this.tell(
      'ticket',
      'Something wants a look in the morning; events flow.',
      ofUrgency('ticket'),
      props,
    );
  }

  private create(fact: AlarmDefinition, props: AlarmsProps): cloudwatch.Alarm[] {
    const signal = typeof fact.signal === 'function' ? fact.signal(props.settings) : fact.signal;
    const subjects = signal.of === 'stream' ? props.streams.filter(fact.streams ?? (() => true)) : [undefined];
    return subjects.flatMap(stream => {
      const source = sourceOf(signal.of, props.monitored, stream?.name);
      if (!source) return [];
      const condition = fact.when(props.settings);
      const metric = new cloudwatch.Metric({ ...source, ...condition, metricName: signal.metric });
      const { monitoredMetric, treatMissingData } = withMissing(metric, fact.missing);
      const name = [fact.name, ...(stream ? [stream.name] : [])];
      return [
        monitoredMetric.createAlarm(this, name.join('-'), {
          alarmName: [props.monitored.connectorName, ...name].join('/'),
          alarmDescription: this.describe(fact, props.runbookUrl),
          treatMissingData,
          ...thresholdOf(condition),
        }),
      ];
    });
  }

  private tell(
    urgency: AlarmDefinition['urgency'],
    description: string,
    alarms: readonly cloudwatch.Alarm[],
    props: AlarmsProps,
  ): cloudwatch.CompositeAlarm {
    const states = alarms.map(alarm => cloudwatch.AlarmRule.fromAlarm(alarm, cloudwatch.AlarmState.ALARM));
    const composite = new cloudwatch.CompositeAlarm(this, urgency, {
      compositeAlarmName: `${props.monitored.connectorName}/${urgency}`,
      alarmDescription:
        `${description} ${this.firstStep('status')} in a clone of the connector: it names the alarms in alarm ` +
        `and their sections of the runbook, ${isAddress(props.runbookUrl) ? props.runbookUrl : `the connector’s ${props.runbookUrl}`}`,
      alarmRule: cloudwatch.AlarmRule.anyOf(...states),
      actionsEnabled: props.enabled,
    });
    composite.addAlarmAction(new SnsAction(props.topic));
    composite.addOkAction(new SnsAction(props.topic));
    return composite;
  }

  /** connectorctl reads the address from the end. */
  private describe(fact: AlarmDefinition, runbookUrl: string): string {
    return `${fact.impact} ${fact.data} ${this.firstStep(fact.first)}. Runbook: ${runbookUrl}#${fact.name}`;
  }

  private firstStep(command: string): string {
    return `First run "npm run connectorctl -- ${command} --stack ${Stack.of(this).stackName}"`;
  }
}

/** Whether whoever reads a notification can open it: a path means nothing outside a clone. */
export function isAddress(runbookUrl: string): boolean {
  return /^https?:\/\//.test(runbookUrl);
}

function withMissing(metric: cloudwatch.Metric, missing: AlarmDefinition['missing']) {
  if (missing !== 'zero') return { monitoredMetric: metric, treatMissingData: missing as cloudwatch.TreatMissingData };
  const { period, metricName: label } = metric;
  const filled = new cloudwatch.MathExpression({
    expression: 'FILL(told, 0)',
    usingMetrics: { told: metric },
    period,
    label,
  });
  return { monitoredMetric: filled, treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING };
}

function thresholdOf(condition: Condition) {
  const evaluationPeriods = condition.periods ?? 1;
  const { ComparisonOperator } = cloudwatch;
  if ('atLeast' in condition) {
    const comparisonOperator = ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD;
    return { evaluationPeriods, threshold: condition.atLeast, comparisonOperator };
  }
  if ('atMost' in condition) {
    const comparisonOperator = ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD;
    return { evaluationPeriods, threshold: condition.atMost, comparisonOperator };
  }
  return {
    evaluationPeriods,
    threshold: condition.below,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  };
}
