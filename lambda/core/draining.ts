import type { SyncedStream } from '../streams.ts';
import type { Run, StreamResult } from './run.ts';
import type { Memory } from './stream-state.ts';

/** One stream being drained in one run. */
export interface StreamRun {
  readonly stream: SyncedStream;
  readonly memory: Memory;
  readonly run: Run;
  readonly result: StreamResult;
}
