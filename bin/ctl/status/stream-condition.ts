/** How a stream is doing, in a word. */
import type { SavedStream } from '../../../lambda/ports.ts';
import { STREAMS, type StreamName } from '../../../lambda/streams.ts';
import type { StreamActivity } from './activity.ts';
import type { Look } from './look.ts';
import { known } from './reading.ts';

export type Condition =
  /** The newest report is of a run that reached the end. */
  | 'caught up'
  /** Runs end for want of time, or the first has not ended yet. */
  | 'backfilling'
  /** The newest report is of a failure. */
  | 'failing'
  /** What the table holds of it cannot be read. */
  | 'damaged'
  /** No run has reported on it for a day. */
  | 'silent'
  | 'never run'
  | 'off'
  /** Neither table nor metrics can say. */
  | 'unknown';

export interface StreamLook {
  readonly stream: StreamName;
  readonly condition: Condition;
  readonly memory: SavedStream | Error | undefined;
  readonly activity: StreamActivity | undefined;
}

export function streamLooks(look: Look): StreamLook[] {
  const state = known(look.state);
  const off = known(look.off) ?? [];
  return STREAMS.map(({ name }) => {
    const memory = state?.streams.get(name);
    const activity = known(look.activity)?.streams.get(name);
    const facts = { off: off.includes(name), running: state?.lease?.held === true, memory, activity };
    return { stream: name, condition: conditionOf(facts), memory, activity };
  });
}

interface Facts {
  readonly off: boolean;
  /** A run is at work. */
  readonly running: boolean;
  readonly memory: SavedStream | Error | undefined;
  readonly activity: StreamActivity | undefined;
}

export function conditionOf({ off, running, memory, activity }: Facts): Condition {
  if (memory instanceof Error) return 'damaged';
  const begun = memory && (memory.checkpoint.cursor !== undefined || memory.checkpoint.committed !== '');
  if (off) return 'off';
  if (memory?.checkpoint.repairing) return activity?.failed ? 'failing' : 'backfilling';
  if (!activity) return 'unknown';
  const { reported, drained = 0, failed } = activity;
  if (reported === undefined) {
    if (running) return 'backfilling';
    return begun ? 'silent' : 'never run';
  }
  // Runs of one minute share a point: one that ended well there outweighs one that did not.
  if (drained >= reported) return 'caught up';
  return failed ? 'failing' : 'backfilling';
}
