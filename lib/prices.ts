/**
 * List prices in US dollars, us-east-1, November 2026, without free tiers. They only turn counted use into a running estimate on the
 * dashboard; other regions differ by a few per cent.
 */
export const PRICES = {
  lambdaGigabyteSecond: 0.0000133334,
  lambdaRequest: 0.2 / 1e6,
  tableWriteUnit: 0.625 / 1e6,
  tableReadUnit: 0.125 / 1e6,
  firehoseGigabyte: 0.029,
} as const;
