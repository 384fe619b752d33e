/** Breaks the refresh: which rows are sent again, when, and under which name. */
import type { Ports } from '../../../lambda/core/run.ts';
import { withLines } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';

const RULE = 'A refresh repeats what the SIEM holds, once that is old, and says so';

/** States are not written where only time and sequence differ. */
function withoutRefreshedStates(ports: Ports): Ports {
  const { get, put } = ports.rowStates;
  return {
    ...ports,
    rowStates: {
      get,
      async put(stream, states, assertLeaseValid) {
        const before = await get(stream, [...states.keys()]);
        const changed = [...states].filter(([id, { rowHash, removed }]) => {
          const known = before.get(id);
          return !known || known instanceof Error || known.rowHash !== rowHash || known.removed !== removed;
        });
        if (changed.length > 0) await put(stream, new Map(changed), assertLeaseValid);
      },
    },
  };
}

export const REFRESH_MUTANTS: readonly Mutant[] = [
  {
    rule: RULE,
    breakage: 'rows are sent again after a tenth of the time',
    caughtAt: 379,
    variant: () => ({
      assignment: plan => ({ ...plan, refreshDays: plan.refreshDays && plan.refreshDays / 10 }),
    }),
  },
  {
    rule: RULE,
    breakage: 'the events do not say that they are repeats',
    caughtAt: 424,
    variant: () => ({
      ports: ports => withLines(ports, line => line.replace(/,"refresh":true|,"labels":\["refresh"\]/, '')),
    }),
  },
  {
    rule: RULE,
    breakage: 'the row states do not learn that the row was sent again',
    caughtAt: 63,
    variant: () => ({ ports: withoutRefreshedStates }),
  },
];
