import type { Call } from './wire.ts';

/** How often a permission was used on a resource, and what it metered. */
export interface TallyRow {
  readonly permission: string;
  readonly resource: string;
  calls: number;
  /** Answered with an error, or not answered at all. */
  failed: number;
  readUnits: number;
  writeUnits: number;
}

export interface Tally {
  add(call: Call): void;
  rows(): TallyRow[];
}

/** Sums the calls by permission and resource; the keys of one bucket are summed as `<bucket>/*`. */
export function createTally(): Tally {
  const rows = new Map<string, TallyRow>();
  return {
    add({ permission, resource: whole, status, readUnits = 0, writeUnits = 0 }) {
      const resource = whole.replace(/^(arn:aws:s3:::[^/]+\/).*$/s, '$1*');
      const name = `${permission} ${resource}`;
      const row = rows.get(name) ?? { permission, resource, calls: 0, failed: 0, readUnits: 0, writeUnits: 0 };
      rows.set(name, row);
      row.calls += 1;
      if (status < 200 || status > 299) row.failed += 1;
      row.readUnits += readUnits;
      row.writeUnits += writeUnits;
    },
    rows: () => [...rows.values()].map(row => ({ ...row })),
  };
}
