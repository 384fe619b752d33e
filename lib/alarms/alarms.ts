import {
  type AlarmDefinition,
  type AlarmSettings,
  AT_RISK,
  type DeliverySettings,
  type Signal,
} from './alarm-definition.ts';

/** The longest interval at which AWS services report these metrics, in minutes. */
const fiveMinutes = 5;

/** At least once in the reports of the last runs. A run that has nothing to report sends nothing. */
const reported = ({ timing }: AlarmSettings) =>
  ({ statistic: 'Sum', atLeast: 1, period: timing.report.toMinutes() }) as const;

/** The same for faults that last: a run of every stream without a failure sends a zero after them, which ends the alarm at once. */
const unfixed = ({ timing }: AlarmSettings) =>
  ({ statistic: 'Minimum', atLeast: 1, period: timing.report.toMinutes() }) as const;

/**
 * No run in which every stream succeeded. Evaluated minute by minute, because CloudWatch searches a few periods farther back before it treats a data point as
 * missing. With one long period that would be hours.
 */
const silent = ({ timing }: AlarmSettings) =>
  ({ statistic: 'Minimum', atLeast: 1, period: 1, periods: timing.silence.toMinutes() }) as const;

/** Rows within a few runs. On an ordinary day a filter newly excludes fewer. */
const MASS_WITHDRAWAL = 500;

/** A message in a queue that should be empty. */
const waiting = () => ({ statistic: 'Maximum', atLeast: 1, period: fiveMinutes }) as const;

/** Every alarm of a connector. */
export const ALARMS: readonly AlarmDefinition[] = [
  {
    name: 'stream-silent',
    severity: 'critical',
    first: 'status',
    impact:
      'The SIEM receives nothing new from a stream: for half an hour or more no run has succeeded with every stream, or none has started.',
    data: 'Nothing is lost. The API keeps every change, and the next successful run continues from the saved cursor.',
    signal: { of: 'connector', metric: 'StreamsFailed' },
    when: silent,
    missing: 'breaching',
  },
  {
    name: 'stream-behind',
    severity: 'warning',
    first: 'status',
    impact:
      'The SIEM is hours behind: no run has reached the end of every stream, because its time was used up or the API led it around a circle.',
    data: 'Nothing is lost. Events arrive late.',
    signal: { of: 'connector', metric: 'StreamsBehind' },
    when: ({ timing }) => ({ statistic: 'Minimum', atLeast: 1, period: timing.backlog.toMinutes(), periods: 6 }),
    missing: 'notBreaching',
  },
  {
    name: 'credentials-refused',
    severity: 'critical',
    first: 'doctor',
    impact:
      'The SIEM receives nothing new: the credentials are rejected, belong to another organization, or the account is disabled.',
    data: 'Nothing is lost. Runs continue from the saved cursors once the secret is correct.',
    signal: { of: 'connector', metric: 'CredentialsRefused' },
    when: unfixed,
    missing: 'zero',
  },
  {
    name: 'role-missing',
    severity: 'critical',
    first: 'doctor',
    impact:
      'The SIEM receives nothing new from a stream: the service account lacks the role that the endpoint requires.',
    data: 'Nothing is lost. The stream continues from its saved cursor once the role is granted.',
    signal: { of: 'connector', metric: 'RoleMissing' },
    when: unfixed,
    missing: 'zero',
  },
  {
    name: 'contract-error',
    severity: 'critical',
    first: 'doctor',
    impact: 'The SIEM receives nothing new from a stream: the response of the API does not match its specification.',
    data: 'Nothing is lost. The saved cursor is unchanged.',
    signal: { of: 'connector', metric: 'ContractErrors' },
    when: unfixed,
    missing: 'zero',
  },
  {
    name: 'dead-letters',
    severity: 'warning',
    first: 'dead-letters list',
    impact: 'Rows could not be sent as events, and the SIEM lacks them. The other rows are delivered.',
    data: 'Nothing is lost. The rows are kept below dead-letter/ in the bucket, each with its reason.',
    signal: { of: 'connector', metric: 'DeadLetters' },
    when: reported,
    missing: 'zero',
  },
  {
    name: 'threats-without-asset',
    severity: 'warning',
    first: 'doctor',
    impact:
      'Threats lack the member that names their asset, so the connector cannot withdraw them when the asset is removed.',
    data: 'Threats are forwarded. The SIEM may keep those of removed assets until you correct threatAssetField and resync the stream.',
    signal: { of: 'connector', metric: 'ThreatsWithoutAsset' },
    when: reported,
    missing: 'zero',
  },
  {
    name: 'filter-faults',
    severity: 'warning',
    first: 'status',
    impact:
      'A filter gave an error or no boolean for some rows, so it decided nothing about them and the connector sent them.',
    data: 'Nothing is lost. The SIEM may receive rows that the filter was meant to withhold.',
    signal: { of: 'connector', metric: 'FilterFaults' },
    when: reported,
    missing: 'zero',
  },
  {
    name: 'mass-withdrawal',
    severity: 'warning',
    first: 'status',
    impact: `At least ${MASS_WITHDRAWAL} rows have left the SIEM, because a filter excludes them now.`,
    data: 'Nothing is lost at the API. Undo a change of the filter that was not intended: the rows are sent again.',
    signal: { of: 'connector', metric: 'RowsWithdrawnByFilter' },
    when: ({ timing }) => ({ statistic: 'Sum', atLeast: MASS_WITHDRAWAL, period: timing.report.toMinutes() }),
    missing: 'zero',
  },
  {
    name: 'function-errors',
    severity: 'warning',
    first: 'doctor',
    impact:
      'Several runs failed within a short time. Another alarm names the cause, unless the function cannot start or was terminated.',
    data: 'Nothing is lost. Each run continues from the saved cursors.',
    signal: { of: 'function', metric: 'Errors' },
    when: ({ timing }) => ({ statistic: 'Sum', atLeast: 3, period: timing.errors.toMinutes() }),
    missing: 'notBreaching',
  },
  {
    name: 'delivery-late',
    severity: 'critical',
    first: 'status',
    impact: 'Firehose has held events for too long, so the SIEM does not receive them.',
    data: `${AT_RISK}Firehose gives up after 24 hours for S3, and after its retry duration for an endpoint.`,
    signal: ({ deliveryMetrics }) => ({ of: 'delivery', metric: `${deliveryMetrics}.DataFreshness` }),
    when: ({ bufferSeconds }) => ({
      statistic: 'Maximum',
      atLeast: 2 * bufferSeconds + 900,
      period: fiveMinutes,
    }),
    missing: 'notBreaching',
  },
  {
    name: 'delivery-failing',
    severity: 'critical',
    first: 'doctor',
    impact: 'The destination keeps rejecting deliveries of Firehose, so the SIEM does not receive these events.',
    data: `${AT_RISK}Firehose retries for 24 hours for S3, and for its retry duration for an endpoint.`,
    signal: ({ deliveryMetrics }) => ({ of: 'delivery', metric: `${deliveryMetrics}.Success` }),
    when: () => ({ statistic: 'Average', below: 1, period: fiveMinutes, periods: 3 }),
    missing: 'notBreaching',
  },
  {
    name: 'delivery-backup-used',
    severity: 'critical',
    first: 'status',
    impact:
      'The endpoint did not accept events within the retry duration. The SIEM lacks them until you send them again.',
    data: 'Nothing is lost. The events are kept below delivery-errors/ in the bucket.',
    signal: { of: 'delivery', metric: 'BackupToS3.Records' },
    when: () => ({ statistic: 'Sum', atLeast: 1, period: fiveMinutes }),
    missing: 'notBreaching',
    applies: ({ deliveryMetrics }) => deliveryMetrics !== 'DeliveryToS3',
  },
  {
    name: 'siem-reader-stalled',
    severity: 'critical',
    first: 'status',
    impact: 'The SIEM has stopped reading: the notification of an object has waited for half an hour.',
    data: 'Nothing is lost. The objects stay in the bucket, and the queue keeps their notifications for 14 days.',
    signal: { of: 'siem-queue', metric: 'ApproximateAgeOfOldestMessage' },
    when: () => ({ statistic: 'Maximum', atLeast: 1800, period: fiveMinutes }),
    missing: 'notBreaching',
  },
  {
    name: 'siem-reader-failing',
    severity: 'critical',
    first: 'status',
    impact: 'The SIEM failed to process objects: it received their notifications ten times without deleting them.',
    data: 'Nothing is lost. The objects stay in the bucket, and the dead-letter queue keeps their notifications for 14 days.',
    signal: { of: 'siem-dead-letters', metric: 'ApproximateNumberOfMessagesVisible' },
    when: waiting,
    missing: 'notBreaching',
  },
];

/** An alarm as it is created. */
export interface DefinedAlarm {
  readonly definition: AlarmDefinition;
  readonly signal: Signal;
}

/** The alarms of a connector. Those on a resource that it does not have are left out where they are created. */
export function alarmsOf(settings: DeliverySettings): DefinedAlarm[] {
  const applying = ALARMS.filter(({ applies }) => applies?.(settings) ?? true);
  return applying.map(definition => {
    const { signal } = definition;
    return { definition, signal: typeof signal === 'function' ? signal(settings) : signal };
  });
}
