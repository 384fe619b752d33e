import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from './ports.ts';

export const systemClock: Clock = {
  // biome-ignore lint/nursery/noJsRestrictedProperties: the one clock that all others are handed.
  now: Date.now,
  async sleep(milliseconds, signal) {
    try {
      await wait(milliseconds, undefined, signal ? { signal } : {});
    } catch (error) {
      // Node rejects with an AbortError of its own; the caller is owed the reason.
      throw signal?.aborted ? signal.reason : error;
    }
  },
};
