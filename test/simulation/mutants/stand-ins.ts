/** What a careless implementation would take for true. */
import { LeaseLostError } from '../../../lambda/core/errors.ts';
import type { HeldLease, RowState } from '../../../lambda/ports.ts';

const LEASE_VALID = async () => undefined;

/** The state of a row that was seen, live, and says nothing else. */
export const SEEN: RowState = {
  rowHash: '',
  generation: 0,
  removed: false,
  parent: undefined,
  sequence: '',
  forwardedAt: '',
  revision: '',
};

/** Takes the lease of another run as if there were none. */
export function sharing(epoch: number): HeldLease {
  const { signal } = new AbortController();
  return refusingOnceReleased({ epoch, dirty: false, signal, assertValid: LEASE_VALID, release: LEASE_VALID });
}

/** A lease that breaks another rule than that it refuses once it was given back. */
export function refusingOnceReleased({ epoch, dirty, signal, assertValid, release }: HeldLease): HeldLease {
  let over = false;
  return {
    epoch,
    dirty,
    signal,
    assertValid: async () => {
      if (over) throw new LeaseLostError('it was given back');
      await assertValid();
    },
    release: async outcome => {
      over = true;
      await release(outcome);
    },
  };
}
