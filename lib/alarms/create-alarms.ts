import { Token } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { ConnectorOptions } from '../config/props.ts';
import type { Alarms } from '../connector-props.ts';
import { CONNECTORCTL } from '../installation.ts';
import { alarmArn } from '../statements.ts';
import { type AlarmCondition, AT_RISK, type MonitoredParts, type Severity } from './alarm-definition.ts';
import { ALARMS, type NamedAlarm } from './alarms.ts';

export interface AlarmsProps extends ConnectorOptions {
  readonly monitored: MonitoredParts;
  readonly topic: sns.ITopic;
}

/**
 * Creates the alarms that apply to a connector, and one composite alarm for each severity, which
 * notifies on-call.
 */
export function createAlarms(scope: Construct, props: AlarmsProps): Alarms {
  const within = new Construct(scope, 'Alarms');
  const created = instancesOf(props.monitored).flatMap(({ definition, monitored, reader }) => {
    const changes = props.alarms[definition.name] ?? {};
    const condition = definition.condition(monitored);
    if (changes === false || !condition) return [];

    const { severity = definition.severity, threshold = condition.threshold } = changes;
    const isChanged = threshold !== condition.threshold;
    const data = `${definition.data}${isChanged ? ` The threshold of this alarm was changed to ${threshold}.` : ''}`;
    const impact = `${reader ? `Reader ${reader}: ` : ''}${definition.impact}`;
    const changed = { ...definition, severity, impact, data, reader };
    return [{ ...changed, alarm: createAlarm(within, changed, { ...condition, threshold }, props) }];
  });

  const notifier = (severity: Severity, meaning: string) =>
    createNotifier(within, { severity, meaning, members: created.filter(alarm => alarm.severity === severity) }, props);
  return {
    byName: Object.fromEntries(created.map(({ name, reader, alarm }) => [reader ? `${name}/${reader}` : name, alarm])),
    critical: notifier('critical', 'The SIEM does not receive events, or soon will not.'),
    warning: notifier('warning', 'Act within a working day. Events are delivered.'),
  };
}

interface Instance {
  readonly definition: NamedAlarm;
  readonly monitored: MonitoredParts;
  /** Name of the reader. Absent for the reader of `siemQueue`, which does not have a name. */
  readonly reader?: string;
}

/** Lists each alarm once, and the alarms about the reader once more for each named reader. */
function instancesOf(monitored: MonitoredParts): Instance[] {
  const ofReader = ALARMS.filter(({ name }) => name.startsWith('siem-reader-'));
  const named = Object.entries(monitored.siemReaders).flatMap(([reader, siem]) =>
    ofReader.map(definition => ({ definition, monitored: { ...monitored, siem }, reader })),
  );
  return [...ALARMS.map(definition => ({ definition, monitored })), ...named];
}

function createAlarm(
  scope: Construct,
  definition: NamedAlarm & Pick<Instance, 'reader'>,
  condition: AlarmCondition,
  props: AlarmsProps,
) {
  const { name, reader, impact, data, first } = definition;
  const { connectorName } = props.monitored;
  const command = `${CONNECTORCTL.command} ${first} --connector ${connectorName}`;
  const { metric, threshold, comparison, evaluationPeriods = 1, missingData = 'notBreaching' } = condition;
  const isZero = missingData === 'zero';

  return new cloudwatch.Alarm(scope, reader ? `${name}-${reader}` : name, {
    alarmName: [connectorName, name, reader].filter(Boolean).join('/'),
    // The name of an alarm is the anchor of its section in the runbook. connectorctl reads the
    // sentences, the first command and the runbook's address from this text.
    alarmDescription: `${impact} ${data} First run "${command}". Runbook: ${props.runbookUrl}#${name}`,
    metric: isZero ? withZeros(metric) : metric,
    threshold,
    comparisonOperator:
      comparison === 'below'
        ? cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
        : cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods,
    treatMissingData: (isZero ? 'notBreaching' : missingData) as cloudwatch.TreatMissingData,
  });
}

/** Returns the metric with a zero for each period without a data point. */
function withZeros(metric: cloudwatch.Metric): cloudwatch.MathExpression {
  return new cloudwatch.MathExpression({
    expression: 'FILL(reported, 0)',
    usingMetrics: { reported: metric },
    period: metric.period,
    label: metric.metricName,
  });
}

interface Notifier {
  readonly severity: Severity;
  readonly meaning: string;
  readonly members: readonly (NamedAlarm & { readonly alarm: cloudwatch.Alarm })[];
}

function createNotifier(scope: Construct, notifier: Notifier, props: AlarmsProps): cloudwatch.CompositeAlarm {
  const { severity, members } = notifier;
  const states = members.map(({ alarm }) => cloudwatch.AlarmRule.fromAlarm(alarm, cloudwatch.AlarmState.ALARM));
  const composite = new cloudwatch.CompositeAlarm(scope, severity, {
    compositeAlarmName: `${props.monitored.connectorName}/${severity}`,
    alarmDescription: notifierText(notifier, props),
    // The rule of a composite alarm needs at least one alarm, but the option `alarms` may have left
    // out all alarms of this severity.
    alarmRule: states.length > 0 ? cloudwatch.AlarmRule.anyOf(...states) : cloudwatch.AlarmRule.fromBoolean(false),
    // A paused connector sends no metrics, so its alarms go off, but nobody must be notified of
    // them.
    actionsEnabled: props.enabled,
  });

  composite.addAlarmAction(new SnsAction(props.topic));
  composite.addOkAction(new SnsAction(props.topic));
  return composite;
}

/**
 * Returns the text of a notification. A notification does not show the descriptions of the alarms
 * that caused it. Therefore this text says whether data is safe, and lists the first command for
 * each of these alarms.
 */
function notifierText({ meaning, members }: Notifier, { runbookUrl, monitored }: AlarmsProps): string {
  const atRisk = members.filter(({ data }) => data.startsWith(AT_RISK)).map(({ name }) => name);
  const except = `, except with ${atRisk.join(' or ')} after 24 hours or the retry duration of Firehose, or if the delivery stream was deleted`;
  const commands = [...new Set(members.map(({ first }) => first))].map(command => {
    const names = new Set(members.filter(({ first }) => first === command).map(({ name }) => name));
    return `${command} (${[...names].join(', ')})`;
  });

  return (
    `${meaning} No data is lost${atRisk.length > 0 ? except : ''}. The reason names the alarm. ` +
    `In ${CONNECTORCTL.folder} run "${CONNECTORCTL.command} <command> --connector ${monitored.connectorName}": ` +
    `${commands.join('; ')}. Runbook: ${isWebAddress(runbookUrl) ? '' : 'the connector’s '}${runbookUrl}`
  );
}

/** Whether the recipient of a notification can open the address. A path exists only in a clone. */
export function isWebAddress(runbookUrl: string): boolean {
  return Token.isUnresolved(runbookUrl) || /^https?:\/\//.test(runbookUrl);
}

/** Creates the topic that the alarms of this connector notify. */
export function createAlarmTopic(scope: Construct, { connectorName, alarmEmail }: ConnectorOptions): sns.ITopic {
  const topic = new sns.Topic(scope, 'AlarmTopic', { displayName: `Alarms of ${connectorName}`, enforceSSL: true });
  // An explicit policy replaces the default policy, which allowed CloudWatch to publish.
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      conditions: { ArnLike: { 'aws:SourceArn': alarmArn(scope, connectorName, '*') } },
    }),
  );

  if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}
