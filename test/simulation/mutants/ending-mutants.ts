/** That nothing outlives its run, and nothing is written without the lease: each mend of it undone. */
import { backoff, MAX_ATTEMPTS } from '../../../lambda/core/retry.ts';
import type { Ports } from '../../../lambda/core/run.ts';
import type { Lease } from '../../../lambda/ports.ts';
import type { Mutant } from './mutant.ts';

const WRITE_LIMIT = 25;
const LATEST_SEQUENCE = '9'.repeat(20);
/** Whatever the term of the lease. */
const FIXED_TIMEOUT = 8_000;

function chunks<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / WRITE_LIMIT);
  return Array.from({ length: count }, (_, chunk) => all.slice(chunk * WRITE_LIMIT, (chunk + 1) * WRITE_LIMIT));
}

/** Each chunk is a batch of its own: when one fails, nobody waits for the others. */
function leavingSiblings(ports: Ports): Ports {
  const put: Ports['rowStates']['put'] = async (stream, states, assertLeaseValid) => {
    await Promise.all(chunks([...states]).map(chunk => ports.rowStates.put(stream, new Map(chunk), assertLeaseValid)));
  };
  return { ...ports, rowStates: { ...ports.rowStates, put } };
}

function passingOnceReleased(lease: Lease): Lease {
  return {
    take: async () => {
      const held = await lease.take();
      if (!held) return undefined;
      let over = false;
      const { epoch, dirty, signal } = held;
      return {
        epoch,
        dirty,
        signal,
        assertValid: async () => {
          if (!over) await held.assertValid();
        },
        release: async outcome => {
          over = true;
          await held.release(outcome);
        },
      };
    },
  };
}

export const ENDING_MUTANTS: readonly Mutant[] = [
  {
    rule: 'A run ends when all that it started has ended',
    breakage: 'when one batch fails, its siblings are not awaited',
    caughtAt: 688,
    variant: () => ({ ports: leavingSiblings }),
  },
  {
    rule: 'A lease that was given back refuses',
    breakage: 'it passes',
    variant: () => ({ lease: passingOnceReleased }),
  },
  {
    rule: 'A removal is struck off only by a state whose sequence is greater',
    breakage: 'by any state that is not removed',
    caughtAt: 530,
    variant: () => ({
      ports: ports => {
        const get: Ports['rowStates']['get'] = async (stream, ids) => {
          const states = await ports.rowStates.get(stream, ids);
          if (stream !== 'assets' || ids.length > 1) return states;
          return new Map(
            [...states].map(([id, state]) => {
              const strikesOff = !(state instanceof Error) && !state.removed;
              return [id, strikesOff ? { ...state, sequence: LATEST_SEQUENCE } : state];
            }),
          );
        };
        return { ...ports, rowStates: { ...ports.rowStates, get } };
      },
    }),
  },
  {
    rule: 'No request outlasts the lease',
    breakage: 'requests take their time, whatever the term',
    variant: () => ({ requestTimeout: FIXED_TIMEOUT }),
  },
  {
    rule: 'Each try of a delivery asks for the lease',
    breakage: 'tries after a failed call do not',
    caughtAt: 287,
    variant: () => ({
      clients: clients => ({
        ...clients,
        firehose: {
          send: async command => {
            for (let tries = 1; ; tries++) {
              try {
                return await clients.firehose.send(command);
              } catch (error) {
                const isThrottle = error instanceof Error && error.name === 'ServiceUnavailableException';
                if (isThrottle || tries === MAX_ATTEMPTS) throw error;
                await clients.clock.sleep(backoff(tries, clients.random));
              }
            }
          },
        },
      }),
    }),
  },
];
