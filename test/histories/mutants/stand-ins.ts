/** What a careless implementation would take for true. */
import { LeaseLostError } from '../../../lambda/core/errors.ts';
import type { HeldLease, RowState } from '../../../lambda/ports.ts';

const NO_GUARD = async () => undefined;

/** The state of a row that was seen, live, and says nothing else. */
export const SEEN: RowState = {
  digest: '',
  generation: 0,
  removed: false,
  owner: undefined,
  sequence: '',
  forwardedAt: '',
  incarnation: '',
};

/** Takes the lease of another run as if there were none. */
export function sharing(epoch: number): HeldLease {
  const { signal } = new AbortController();
  return refusingOnceReleased({ epoch, unclean: false, signal, guard: NO_GUARD, release: NO_GUARD });
}

/** A lease that breaks another rule than that it refuses once it was given back. */
export function refusingOnceReleased({ epoch, unclean, signal, guard, release }: HeldLease): HeldLease {
  let over = false;
  return {
    epoch,
    unclean,
    signal,
    guard: async () => {
      if (over) throw new LeaseLostError('it was given back');
      await guard();
    },
    release: async outcome => {
      over = true;
      await release(outcome);
    },
  };
}
