import type { BenchStream } from './rows.ts';

/** Share of each stream in the rows of a backfill. */
export const SHARES: Readonly<Record<BenchStream, number>> = { assets: 0.2, threats: 0.5, 'dns-blocks': 0.3 };
