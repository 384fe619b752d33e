/**
 * List prices of us-east-1 in US dollars, of November 2026, without free tiers. Other regions
 * differ by a few per cent. Prices marked "third party" come from sources other than AWS, and
 * prices marked "unconfirmed" were not looked up, so check them before you rely on them.
 */
export const PRICES = {
  lambdaGigabyteSecond: 0.0000133334,
  lambdaRequest: 0.2 / 1e6,
  tableWriteUnit: 0.625 / 1e6,
  tableReadUnit: 0.125 / 1e6,
  /** The price includes point-in-time recovery. Unconfirmed. */
  tableGigabyteMonth: 0.25 + 0.2,
  /** Each record is rounded up to 5 KiB. Third party. */
  firehoseGigabyte: 0.029,
  /** Unconfirmed. */
  objectPut: 0.005 / 1000,
  /** Unconfirmed. */
  objectGigabyteMonth: 0.023,
  /** Unconfirmed. */
  queueRequest: 0.4 / 1e6,
  /** Deliveries to SQS are free. Third party. */
  topicPublish: 0.5 / 1e6,
  /**
   * Price of the messages that a filter on the body reads, once for each subscription with such a
   * filter. Third party.
   */
  topicFilterGigabyte: 0.09,
  /** Unconfirmed. */
  scheduledStart: 1 / 1e6,
  secretMonth: 0.4,
  secretRead: 0.05 / 10_000,
  /** Third party. */
  logGigabyte: 0.5,
  /** Third party. */
  metricMonth: 0.3,
  /** Third party. */
  alarmMonth: 0.1,
  /** Unconfirmed. */
  compositeAlarmMonth: 0.5,
  /** Third party. */
  dashboardMonth: 3,
} as const;
