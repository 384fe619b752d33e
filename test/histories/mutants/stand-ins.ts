/** What a careless implementation would take for true. */
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
  return { epoch, unclean: false, signal, guard: NO_GUARD, release: NO_GUARD };
}
