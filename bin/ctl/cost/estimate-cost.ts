/** What a connector would cost, from numbers alone: no stack and no AWS is asked. */
import { type BillLine, fillingUp, monthlyBill } from '../../../lib/cost/bill.ts';
import { estimateCounts } from '../../../lib/cost/estimate.ts';
import { fixedParts } from '../../../lib/cost/fixed-parts.ts';
import type { Tenant } from '../../../lib/cost/tenant.ts';
import { DEFAULTS } from '../../../lib/defaults.ts';

export interface Numbers {
  readonly assets?: number;
  readonly threats?: number;
  readonly dnsBlocksPerDay?: number;
  readonly changesPerDay?: number;
  readonly rateMinutes?: number;
}

export interface Estimate {
  readonly numbers: Required<Numbers>;
  readonly lines: readonly BillLine[];
  /** Dollars for the first drain, or a replay, once. */
  readonly fillingUp: number;
}

const HOURS = 24;

/** Half of the changes are of assets and half of threats; the stream of DNS blocks is on where there are any. */
export function estimateCost(given: Numbers): Estimate {
  const { assets = 0, threats = 0, dnsBlocksPerDay = 0, changesPerDay = 0, rateMinutes = DEFAULTS.rateMinutes } = given;
  const tenant: Tenant = {
    name: 'estimated',
    assets,
    threats,
    assetChanges: changesPerDay / 2 / HOURS,
    threatChanges: changesPerDay / 2 / HOURS,
    removals: 0,
    dnsBlocks: dnsBlocksPerDay / HOURS,
  };
  const dnsBlocks = dnsBlocksPerDay > 0;
  const counts = estimateCounts(tenant, { rateMinutes, dnsBlocks });
  return {
    numbers: { assets, threats, dnsBlocksPerDay, changesPerDay, rateMinutes },
    lines: monthlyBill(tenant, counts, fixedParts({ dnsBlocks })),
    fillingUp: fillingUp(tenant, counts),
  };
}
