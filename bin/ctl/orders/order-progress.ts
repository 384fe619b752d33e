/** Shows how far a run has come while its invocation is under way: the table's checkpoints tell, and nothing else can. */
import type { Clock } from '../../../lambda/ports.ts';
import type { Progress } from '../report/progress.ts';
import type { ConnectorState } from '../state/read-state.ts';

export interface Monitored {
  readonly clock: Clock;
  /** What the table says. */
  readonly state: () => Promise<ConnectorState>;
  readonly progress: Progress;
}

const EVERY_MILLISECONDS = 1000;

/** Looks at the table about once a second until `work` has ended; what cannot be seen does not disturb the work. */
export async function withProgress<T>(work: () => Promise<T>, { clock, state, progress }: Monitored): Promise<T> {
  const ended = new AbortController();
  const watching = (async () => {
    for (let seen = 0; !ended.signal.aborted; await clock.sleep(EVERY_MILLISECONDS, ended.signal)) {
      const committed = settledEvents(await state());
      if (committed === undefined || ended.signal.aborted) continue;
      progress.advance(Math.max(0, committed - seen), `${committed} events settled`);
      seen = Math.max(seen, committed);
    }
  })();
  watching.catch(() => undefined);
  try {
    return await work();
  } finally {
    ended.abort();
  }
}

/**
 * How many events the run at work has sent and recorded: `sequence` is the lease's epoch and a counter of the run, which all
 * streams share.
 *
 * @returns nothing when no run is at work
 */
export function settledEvents({ lease, streams }: ConnectorState): number | undefined {
  if (!lease?.held) return undefined;
  const epoch = String(lease.epoch).padStart(10, '0');
  const counts = [...streams.values()].map(memory => {
    const committed = memory instanceof Error ? '' : memory.checkpoint.committed;
    return committed.startsWith(epoch) ? Number(committed.slice(epoch.length)) : 0;
  });
  return Math.max(0, ...counts);
}
