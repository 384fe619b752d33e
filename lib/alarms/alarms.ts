import type { CONNECTOR_METRICS } from '../../lambda/metrics.ts';
import { type AlarmCondition, type AlarmDefinition, AT_RISK, type MonitoredParts } from './alarm-definition.ts';

/** Name of an alarm, which is also the name of its section in the runbook. */
export type AlarmName =
  | 'contract-error'
  | 'credentials-refused'
  | 'dead-letters'
  | 'delivery-backup-used'
  | 'delivery-failing'
  | 'delivery-late'
  | 'filter-errors'
  | 'function-errors'
  | 'mass-withdrawal'
  | 'role-missing'
  | 'siem-reader-failing'
  | 'siem-reader-stalled'
  | 'stream-behind'
  | 'stream-silent'
  | 'threats-without-asset';

type MetricName = keyof typeof CONNECTOR_METRICS;

/**
 * The alarms by name. Metrics of AWS services have the CDK's period of five minutes, because that
 * is the longest interval of their reports.
 */
const TABLE: Readonly<Record<AlarmName, AlarmDefinition>> = {
  'stream-silent': {
    severity: 'critical',
    first: 'status',
    impact:
      'The SIEM receives nothing new from a stream: for half an hour or more no run has succeeded with every stream, or none has started.',
    data: 'Nothing is lost, unless the delivery stream was deleted. The API keeps every change, and the next successful run continues from the saved cursor.',
    // The period is one minute, because CloudWatch looks a few periods farther back before it
    // treats a point as missing. With one long period this would take hours.
    condition: ({ metric, timing: { minute, silence } }) => ({
      metric: metric('StreamsFailed', { statistic: 'Minimum', period: minute }),
      threshold: 1,
      evaluationPeriods: silence.toMinutes(),
      missingData: 'breaching',
    }),
  },
  'stream-behind': {
    severity: 'warning',
    first: 'status',
    impact:
      'The SIEM is hours behind: no run has reached the end of every stream, because its time was used up or the API led it around a circle.',
    data: 'Nothing is lost. Events arrive late.',
    condition: ({ metric, timing }) => ({
      metric: metric('StreamsBehind', { statistic: 'Minimum', period: timing.backlog }),
      threshold: 1,
      evaluationPeriods: 6,
    }),
  },
  'credentials-refused': {
    severity: 'critical',
    first: 'doctor',
    impact:
      'The SIEM receives nothing new: the credentials are rejected, belong to another organization, or the account is disabled.',
    data: 'Nothing is lost. Runs continue from the saved cursors once the secret is correct.',
    condition: unfixed('CredentialsRefused'),
  },
  'role-missing': {
    severity: 'critical',
    first: 'doctor',
    impact:
      'The SIEM receives nothing new from a stream: the service account lacks the role that the endpoint requires.',
    data: 'Nothing is lost. The stream continues from its saved cursor once the role is granted.',
    condition: unfixed('RoleMissing'),
  },
  'contract-error': {
    severity: 'critical',
    first: 'doctor',
    impact: 'The SIEM receives nothing new from a stream: the response of the API does not match its specification.',
    data: 'Nothing is lost. The saved cursor is unchanged.',
    condition: unfixed('ContractErrors'),
  },
  'dead-letters': {
    severity: 'warning',
    first: 'dead-letters list',
    impact: 'Rows could not be sent as events, and the SIEM lacks them. The other rows are delivered.',
    data: 'Nothing is lost. The rows are kept below dead-letter/ in the bucket, each with its reason.',
    condition: reported('DeadLetters'),
  },
  'threats-without-asset': {
    severity: 'warning',
    first: 'doctor',
    impact:
      'Threats lack the member that names their asset, so the connector cannot withdraw them when the asset is removed.',
    data: 'Threats are forwarded. The SIEM may keep those of removed assets until you correct threatAssetField and resync the stream.',
    condition: reported('ThreatsWithoutAsset'),
  },
  'filter-errors': {
    severity: 'warning',
    first: 'status',
    impact: 'A filter failed or did not return a boolean for some rows, so the connector sent these rows.',
    data: 'Nothing is lost. The SIEM may receive rows that the filter excludes.',
    condition: reported('FilterErrors'),
  },
  'mass-withdrawal': {
    severity: 'critical',
    first: 'status',
    impact:
      'A changed filter, or rows that the API does not list any more, would withdraw too many rows from the SIEM. The rest of them waits for your decision.',
    data: 'Nothing is lost. New changes are still sent. Undo a change of the filter that was not intended, or run confirm withdrawals.',
    condition: reported('WithdrawalsWaiting'),
  },
  'function-errors': {
    severity: 'warning',
    first: 'doctor',
    impact:
      'Several runs failed within a short time. Another alarm names the cause, unless the function cannot start or was terminated.',
    data: 'Nothing is lost, unless the delivery stream was deleted. Each run continues from the saved cursors.',
    condition: ({ function: lambda, timing }) => ({
      metric: lambda.metricErrors({ period: timing.errors }),
      threshold: 3,
    }),
  },
  'delivery-late': {
    severity: 'critical',
    first: 'status',
    impact: 'Firehose has held events for too long, so the SIEM does not receive them.',
    data: `${AT_RISK}Firehose gives up after 24 hours for S3, and after its retry duration for an endpoint.`,
    condition: ({ deliveryMetric, deliveryMetricPrefix, bufferSeconds }) => ({
      metric: deliveryMetric(`${deliveryMetricPrefix}.DataFreshness`, { statistic: 'Maximum' }),
      threshold: 2 * bufferSeconds + 900,
    }),
  },
  'delivery-failing': {
    severity: 'critical',
    first: 'doctor',
    impact: 'The destination keeps rejecting deliveries of Firehose, so the SIEM does not receive these events.',
    data: `${AT_RISK}Firehose retries for 24 hours for S3, and for its retry duration for an endpoint.`,
    condition: ({ deliveryMetric, deliveryMetricPrefix }) => ({
      metric: deliveryMetric(`${deliveryMetricPrefix}.Success`),
      comparison: 'below',
      threshold: 1,
      evaluationPeriods: 3,
    }),
  },
  'delivery-backup-used': {
    severity: 'critical',
    first: 'status',
    impact:
      'The endpoint did not accept events within the retry duration. The SIEM lacks them until you send them again.',
    data: 'Nothing is lost. The events are kept below delivery-errors/ in the bucket.',
    condition: ({ deliveryMetric, deliveryMetricPrefix }) => {
      if (deliveryMetricPrefix === 'DeliveryToS3') return undefined;
      // Firehose has a separate metric for rows that it could not write into an Iceberg table.
      const backup =
        deliveryMetricPrefix === 'DeliveryToIceberg' ? 'DeliveryToIceberg.FailedRowCount' : 'BackupToS3.Records';
      return { metric: deliveryMetric(backup, { statistic: 'Sum' }), threshold: 1 };
    },
  },
  'siem-reader-stalled': {
    severity: 'critical',
    first: 'status',
    impact: 'The SIEM has stopped reading: the notification of an object has waited for half an hour.',
    data: 'Nothing is lost. The objects stay in the bucket, and the queue keeps their notifications for 14 days.',
    condition: ({ siem }) =>
      siem?.deadLetters && { metric: siem.queue.metricApproximateAgeOfOldestMessage(), threshold: 1800 },
  },
  'siem-reader-failing': {
    severity: 'critical',
    first: 'status',
    impact: 'The SIEM failed to process objects: it received their notifications ten times without deleting them.',
    data: 'Nothing is lost. The objects stay in the bucket, and the dead-letter queue keeps their notifications for 14 days.',
    condition: ({ siem }) =>
      siem?.deadLetters && { metric: siem.deadLetters.metricApproximateNumberOfMessagesVisible(), threshold: 1 },
  },
};

/** @internal Every alarm of a connector, with its name. */
export const ALARMS = Object.entries(TABLE).map(([name, definition]) => ({ name: name as AlarmName, ...definition }));

/** @internal */
export type NamedAlarm = (typeof ALARMS)[number];

/**
 * Condition that is met when the metric was reported at least once. Missing data counts as zero,
 * because a run that has nothing to report sends nothing.
 */
function reported(name: MetricName): (monitored: MonitoredParts) => AlarmCondition {
  return ({ metric, timing }) => ({
    metric: metric(name, { statistic: 'Sum', period: timing.report }),
    threshold: 1,
    missingData: 'zero',
  });
}

/**
 * Condition for failures that last. After such a failure, the first run that reads all streams
 * without a failure sends a zero, which ends the alarm at once.
 */
function unfixed(name: MetricName): (monitored: MonitoredParts) => AlarmCondition {
  return ({ metric, timing }) => ({
    metric: metric(name, { statistic: 'Minimum', period: timing.report }),
    threshold: 1,
    missingData: 'zero',
  });
}
