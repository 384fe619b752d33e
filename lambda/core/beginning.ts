import type { Checkpoint } from '../ports.ts';

/** The checkpoint of a stream that has never been walked. */
export const BEGINNING: Checkpoint = {
  cursor: undefined,
  previous: undefined,
  window: [],
  generation: 0,
  names: {},
  committed: '',
  repairing: false,
};
