import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { CONNECTORCTL } from '../installation.ts';
import type { AlarmDefinition, AlarmSettings, Condition, Severity } from './alarm-definition.ts';
import { alarmsOf, type DefinedAlarm } from './alarms.ts';
import { type Monitored, sourceOf } from './metric-sources.ts';

export interface AlarmsProps {
  readonly monitored: Monitored;
  readonly settings: AlarmSettings;
  readonly topic: ITopic;
  /** Address of the runbook. The section of an alarm has its name. */
  readonly runbookUrl: string;
  /** Whether alarms notify. A paused connector emits nothing on purpose. */
  readonly enabled: boolean;
}

/** The alarms that apply to a connector, and one composite alarm for each severity, which notifies. */
export class Alarms extends Construct {
  readonly critical: cloudwatch.CompositeAlarm;
  readonly warning: cloudwatch.CompositeAlarm;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const alarms = alarmsOf(props.settings).flatMap(defined => {
      const alarm = this.create(defined, props);
      return alarm ? [{ alarm, severity: defined.definition.severity }] : [];
    });
    const notifier = (severity: Severity, description: string) => {
      const members = alarms.filter(each => each.severity === severity).map(({ alarm }) => alarm);
      return this.createNotifier(severity, description, members, props);
    };
    this.critical = notifier('critical', 'The SIEM does not receive events, or soon will not.');
    this.warning = notifier('warning', 'Something needs attention within a working day. Events are delivered.');
  }

  /** Nothing where this connector lacks the part that the alarm is about. */
  private create({ definition, signal }: DefinedAlarm, props: AlarmsProps): cloudwatch.Alarm | undefined {
    const { settings, monitored } = props;
    const source = sourceOf(signal.of, monitored);
    if (!source) return undefined;
    const condition = definition.when(settings);
    const { statistic } = condition;
    const period = Duration.minutes(condition.period);
    const metric = new cloudwatch.Metric({ ...source, statistic, period, metricName: signal.metric });
    const { monitoredMetric, treatMissingData } = withMissing(metric, definition.missing);
    return monitoredMetric.createAlarm(this, definition.name, {
      alarmName: `${monitored.connectorName}/${definition.name}`,
      alarmDescription: describe(definition, props),
      treatMissingData,
      ...thresholdOf(condition),
    });
  }

  private createNotifier(
    severity: Severity,
    description: string,
    alarms: readonly cloudwatch.Alarm[],
    { monitored, runbookUrl, enabled, topic }: AlarmsProps,
  ): cloudwatch.CompositeAlarm {
    const states = alarms.map(alarm => cloudwatch.AlarmRule.fromAlarm(alarm, cloudwatch.AlarmState.ALARM));
    const composite = new cloudwatch.CompositeAlarm(this, severity, {
      compositeAlarmName: `${monitored.connectorName}/${severity}`,
      alarmDescription:
        `${description} ${firstCommand('status', monitored)} in ${CONNECTORCTL.folder}. It lists the alarms in alarm ` +
        `and their sections of the runbook, ${isAddress(runbookUrl) ? runbookUrl : `the connector’s ${runbookUrl}`}`,
      alarmRule: cloudwatch.AlarmRule.anyOf(...states),
      actionsEnabled: enabled,
    });
    composite.addAlarmAction(new SnsAction(topic));
    composite.addOkAction(new SnsAction(topic));
    return composite;
  }
}

/** connectorctl reads the runbook's address from the end of this text. */
function describe({ impact, data, first, name }: AlarmDefinition, { monitored, runbookUrl }: AlarmsProps): string {
  return `${impact} ${data} ${firstCommand(first, monitored)}. Runbook: ${runbookUrl}#${name}`;
}

function firstCommand(command: string, { connectorName }: Monitored): string {
  return `First run "${CONNECTORCTL.command} ${command} --connector ${connectorName}"`;
}

/** Whether the reader of a notification can open it. A path exists only in a clone. */
export function isAddress(runbookUrl: string): boolean {
  return /^https?:\/\//.test(runbookUrl);
}

function withMissing(metric: cloudwatch.Metric, missing: AlarmDefinition['missing']) {
  if (missing !== 'zero') return { monitoredMetric: metric, treatMissingData: missing as cloudwatch.TreatMissingData };
  const { period, metricName: label } = metric;
  const filled = new cloudwatch.MathExpression({
    expression: 'FILL(reported, 0)',
    usingMetrics: { reported: metric },
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

export interface AlarmTopicProps {
  readonly connectorName: string;
  readonly alarmEmail?: string | undefined;
}

/** The topic that the alarms of this connector notify. */
export function createAlarmTopic(scope: Construct, { connectorName, alarmEmail }: AlarmTopicProps): sns.ITopic {
  const topic = new sns.Topic(scope, 'AlarmTopic', { displayName: `Alarms of ${connectorName}`, enforceSSL: true });
  // An explicit policy replaces the default one, which let CloudWatch publish.
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      conditions: { ArnLike: { 'aws:SourceArn': alarmArns(scope, connectorName) } },
    }),
  );
  if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}

function alarmArns(scope: Construct, connectorName: string): string {
  return Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: `${connectorName}/*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
