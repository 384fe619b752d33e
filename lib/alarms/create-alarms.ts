import { ArnFormat, Duration, Stack, Token } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { AlarmOverrides, Alarms } from '../connector-props.ts';
import { CONNECTORCTL } from '../installation.ts';
import {
  type AlarmDefinition,
  type AlarmSettings,
  AT_RISK,
  type Condition,
  type Severity,
} from './alarm-definition.ts';
import { alarmsOf, type DefinedAlarm } from './alarms.ts';
import { type Monitored, sourceOf } from './metric-sources.ts';
import { overridden } from './overrides.ts';

export interface AlarmsProps {
  readonly monitored: Monitored;
  readonly settings: AlarmSettings;
  readonly topic: ITopic;
  /** Address of the runbook. The name of an alarm is the anchor of its section. */
  readonly runbookUrl: string;
  /** Whether alarms notify. A paused connector emits nothing on purpose. */
  readonly enabled: boolean;
  /** Changes of alarms, by name. */
  readonly alarms: AlarmOverrides;
}

/** The alarms that apply to a connector, and one composite alarm for each severity, which notifies. */
export function createAlarms(scope: Construct, props: AlarmsProps): Alarms {
  const within = new Construct(scope, 'Alarms');
  const created = alarmsOf(props.settings).flatMap(({ definition: original, signal }) => {
    const definition = overridden(original, props.alarms);
    const alarm = definition && createAlarm(within, { definition, signal }, props);
    return alarm ? [{ alarm, definition }] : [];
  });
  const notifier = (severity: Severity, meaning: string) =>
    createNotifier(
      within,
      severity,
      meaning,
      created.filter(({ definition }) => definition.severity === severity),
      props,
    );
  const byName = Object.fromEntries(created.map(({ alarm, definition }) => [definition.name, alarm]));
  return {
    byName,
    critical: notifier('critical', 'The SIEM does not receive events, or soon will not.'),
    warning: notifier('warning', 'Act within a working day. Events are delivered.'),
  };
}

/** Creates no alarm if this connector does not have the monitored part. */
function createAlarm(scope: Construct, { definition, signal }: DefinedAlarm, props: AlarmsProps) {
  const { settings, monitored } = props;
  const source = sourceOf(signal.of, monitored);
  if (!source) return undefined;
  const condition = definition.when(settings);
  const { statistic } = condition;
  const period = Duration.minutes(condition.period);
  const metric = new cloudwatch.Metric({ ...source, statistic, period, metricName: signal.metric });
  const { monitoredMetric, treatMissingData } = withMissing(metric, definition.missing);
  return monitoredMetric.createAlarm(scope, definition.name, {
    alarmName: `${monitored.connectorName}/${definition.name}`,
    alarmDescription: describe(definition, props),
    treatMissingData,
    ...thresholdOf(condition),
  });
}

interface CreatedAlarm {
  readonly alarm: cloudwatch.Alarm;
  readonly definition: AlarmDefinition;
}

function createNotifier(
  scope: Construct,
  severity: Severity,
  meaning: string,
  members: readonly CreatedAlarm[],
  props: AlarmsProps,
): cloudwatch.CompositeAlarm {
  const states = members.map(({ alarm }) => cloudwatch.AlarmRule.fromAlarm(alarm, cloudwatch.AlarmState.ALARM));
  const composite = new cloudwatch.CompositeAlarm(scope, severity, {
    compositeAlarmName: `${props.monitored.connectorName}/${severity}`,
    alarmDescription: describeNotifier(meaning, members, props),
    // The rule of a composite alarm needs at least one alarm. The option `alarms` may have left out all of this severity.
    alarmRule: states.length > 0 ? cloudwatch.AlarmRule.anyOf(...states) : cloudwatch.AlarmRule.fromBoolean(false),
    actionsEnabled: props.enabled,
  });
  composite.addAlarmAction(new SnsAction(props.topic));
  composite.addOkAction(new SnsAction(props.topic));
  return composite;
}

/** A notification shows this text and not those of the alarms behind it. So it says whether data is safe, and has their first commands. */
function describeNotifier(meaning: string, members: readonly CreatedAlarm[], props: AlarmsProps): string {
  const { runbookUrl, monitored } = props;
  const commands = [...new Set(members.map(({ definition }) => definition.first))].map(
    command => `${command} (${namesOf(members.filter(({ definition }) => definition.first === command))})`,
  );
  return (
    `${meaning} ${safetyOf(members)} The reason names the alarm. ` +
    `In ${CONNECTORCTL.folder} run "${CONNECTORCTL.command} <command> --connector ${monitored.connectorName}": ` +
    `${commands.join('; ')}. Runbook: ${isAddress(runbookUrl) ? '' : 'the connector’s '}${runbookUrl}`
  );
}

function safetyOf(members: readonly CreatedAlarm[]): string {
  const atRisk = members.filter(({ definition }) => definition.data.startsWith(AT_RISK));
  if (atRisk.length === 0) return 'No data is lost.';
  return `No data is lost, except with ${namesOf(atRisk, ' or ')} after 24 hours or the retry duration of Firehose.`;
}

function namesOf(members: readonly CreatedAlarm[], separator = ', '): string {
  return members.map(({ definition }) => definition.name).join(separator);
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
  return Token.isUnresolved(runbookUrl) || /^https?:\/\//.test(runbookUrl);
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
