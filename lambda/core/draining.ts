import type { Memory } from './memory.ts';
import type { NamedStream, Run, StreamResult } from './run.ts';

export type DrainedStream = NamedStream & { readonly path: string };

/** One stream being drained in one run. */
export interface Draining {
  readonly stream: DrainedStream;
  readonly memory: Memory;
  readonly run: Run;
  readonly result: StreamResult;
}
