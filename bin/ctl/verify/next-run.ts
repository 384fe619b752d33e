/** Waits until a run that began after now has ended cleanly: what was only on its way has then arrived. */
import type { Context } from '../context.ts';
import type { LeaseState } from '../state/read-state.ts';

const PAUSE_MILLISECONDS = 1_000;

export interface NextRun {
  readonly lease: () => Promise<LeaseState | undefined>;
  /** Epoch of the run that took the lease last. */
  readonly epoch: number;
  readonly wait: number;
}

/** @returns whether one ended in time @throws the signal's reason at Ctrl-C */
export async function nextRunEnded({ clock, signal }: Context, { lease, epoch, wait }: NextRun): Promise<boolean> {
  const end = clock.now() + wait * 1000;
  for (;;) {
    const seen = await lease();
    if (seen && seen.epoch > epoch && seen.ended === 'cleanly') return true;
    const left = end - clock.now();
    if (left <= 0) return false;
    await clock.sleep(Math.min(PAUSE_MILLISECONDS, left), signal);
  }
}
