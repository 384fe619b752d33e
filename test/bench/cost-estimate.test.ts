/** The estimate of `connectorctl cost` beside what the benchmark counts: they cannot drift apart unnoticed. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { countMinutes } from '../../bench/cost-counts.ts';
import { type Counts, fixedParts, type Tenant } from '../../lib/cost/bill.ts';
import { estimateCounts } from '../../lib/cost/estimate.ts';
import { synthesize } from '../lib/synth.ts';

const MINUTES = 4;
/** Small enough to be filled in a second, and busy enough that chance levels out within minutes. */
const TENANT: Tenant = {
  name: 'busy',
  streams: {
    assets: { stock: 500, changes: 1_200, removals: 60 },
    threats: { stock: 500, changes: 1_200 },
    'dns-blocks': { changes: 30_000 },
  },
};

describe('of a busy tenant', () => {
  let counted: Counts;
  let estimated: Counts;
  beforeAll(async () => {
    counted = await countMinutes(TENANT, MINUTES);
    estimated = estimateCounts(TENANT, { rateMinutes: 1 });
  });

  test.each(['writeUnits', 'readUnits', 'lineBytes', 'billedBytes', 'storedBytes', 'logBytes'] as const)(
    '%s are estimated within a fifth of what is counted',
    name => {
      const ratio = estimated[name] / (counted[name] / MINUTES);
      expect(Math.abs(ratio - 1)).toBeLessThan(0.2);
    },
  );

  test('the time series are as many as are emitted', () => {
    expect(estimated.metrics).toBe(counted.metrics);
  });

  test('the filling up takes the units a row that were counted', () => {
    const perRow = ({ fill }: Counts) => [fill.writeUnits / fill.rows, fill.readUnits / fill.rows];
    for (const [at, units] of perRow(estimated).entries()) {
      expect(Math.abs(units / perRow(counted)[at]! - 1)).toBeLessThan(0.2);
    }
  });
});

test.each([
  ['every stream', { dnsBlocksPath: '/v1/dns-blocks' }],
  ['the streams that are always on', {}],
])('the parts of a stack with %s are those of its template', (_, options) => {
  const template = synthesize(options);
  const count = (type: string) => Object.values(template.Resources).filter(({ Type }) => Type === type).length;
  expect(fixedParts()).toMatchObject({
    alarms: count('AWS::CloudWatch::Alarm'),
    compositeAlarms: count('AWS::CloudWatch::CompositeAlarm'),
    dashboards: count('AWS::CloudWatch::Dashboard'),
    secrets: count('AWS::SecretsManager::Secret'),
  });
});
