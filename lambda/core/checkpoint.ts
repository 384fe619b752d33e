import type { Checkpoint } from '../ports.ts';

/** The checkpoint of a stream that was never read. */
export const INITIAL_CHECKPOINT: Checkpoint = {
  cursor: undefined,
  previous: undefined,
  window: [],
  generation: 0,
  names: {},
  committed: '',
  filter: '',
  counts: { existing: 0, listed: 0 },
};

/**
 * Whether both checkpoints have the same JSON, so that saving the second checkpoint would change
 * nothing.
 */
export function isSameCheckpoint(before: Checkpoint, after: Checkpoint): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}
