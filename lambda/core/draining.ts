import type { DrainedStream } from '../streams.ts';
import type { Memory } from './memory.ts';
import type { Run, StreamResult } from './run.ts';

/** One stream being drained in one run. */
export interface Draining {
  readonly stream: DrainedStream;
  readonly memory: Memory;
  readonly run: Run;
  readonly result: StreamResult;
}
