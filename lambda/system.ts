import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Hash } from './ports.ts';

export const systemClock: Clock = {
  now: Date.now,
  async sleep(milliseconds, signal) {
    try {
      await wait(milliseconds, undefined, signal ? { signal } : {});
    } catch (error) {
      // Node rejects with an AbortError of its own, but the caller expects the reason of the
      // signal.
      throw signal?.aborted ? signal.reason : error;
    }
  },
};

/** Returns 64 lower-case hexadecimal characters. */
export const sha256: Hash = text => hash('sha256', text);
