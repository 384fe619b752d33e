import type { Tenant } from '../lib/cost/tenant.ts';

/** Invented, and said so in docs/cost.md. */
export const TENANTS: readonly Tenant[] = [
  { name: 'small', assets: 500, threats: 2_000, assetChanges: 60, threatChanges: 60, removals: 1, dnsBlocks: 600 },
  {
    name: 'middle',
    assets: 10_000,
    threats: 40_000,
    assetChanges: 1_200,
    threatChanges: 1_200,
    removals: 12,
    dnsBlocks: 30_000,
  },
  {
    name: 'large',
    assets: 100_000,
    threats: 400_000,
    assetChanges: 12_000,
    threatChanges: 12_000,
    removals: 60,
    dnsBlocks: 600_000,
  },
];
