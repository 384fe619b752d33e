import type { Batch } from '../../../lambda/core/batch.ts';
import { INITIAL_CHECKPOINT } from '../../../lambda/core/checkpoint.ts';

/** A batch that does nothing. */
export const EMPTY_BATCH: Batch = {
  records: [],
  deadLetters: [],
  states: new Map(),
  children: [],
  childrenDone: [],
  removals: [],
  removalsDone: [],
  checkpoint: INITIAL_CHECKPOINT,
  sent: {},
};
