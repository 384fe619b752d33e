/** A list price of us-east-1 in US dollars, November 2026, without free tiers; other regions differ by a few per cent. */
export interface Price {
  readonly dollars: number;
  readonly per: string;
  /** `aws`: read in AWS's own documents. `third-party`: quoted elsewhere. `unconfirmed`: from memory; check it before you lean on it. */
  readonly source: 'aws' | 'third-party' | 'unconfirmed';
}

function price(dollars: number, per: string, source: Price['source']): Price {
  return { dollars, per, source };
}

export const PRICES = {
  lambdaGigabyteSecond: price(0.0000133334, 'GB-second, arm64', 'aws'),
  lambdaRequest: price(0.2 / 1e6, 'request', 'aws'),
  tableWriteUnit: price(0.625 / 1e6, 'write unit, on demand', 'aws'),
  tableReadUnit: price(0.125 / 1e6, 'read unit, on demand', 'aws'),
  tableGigabyteMonth: price(0.25 + 0.2, 'GB and month stored, with point-in-time recovery', 'unconfirmed'),
  firehoseGigabyte: price(0.029, 'GB, each record rounded up to 5 KiB', 'third-party'),
  objectPut: price(0.005 / 1000, 'object put', 'unconfirmed'),
  objectGigabyteMonth: price(0.023, 'GB and month stored', 'unconfirmed'),
  queueRequest: price(0.4 / 1e6, 'SQS request', 'unconfirmed'),
  scheduledStart: price(1 / 1e6, 'start by the schedule', 'unconfirmed'),
  secretMonth: price(0.4, 'secret and month', 'aws'),
  secretCall: price(0.05 / 10_000, 'call for the secret', 'aws'),
  logGigabyte: price(0.5, 'GB of logs taken in', 'third-party'),
  metricMonth: price(0.3, 'metric and month', 'third-party'),
  alarmMonth: price(0.1, 'alarm and month', 'third-party'),
  compositeAlarmMonth: price(0.5, 'composite alarm and month', 'unconfirmed'),
  dashboardMonth: price(3, 'dashboard and month', 'third-party'),
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof PRICES;
