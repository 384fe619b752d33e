/** That nothing outlives its run, and nothing is written without the lease: each mend of it undone. */
import { backoff, MAX_ATTEMPTS } from '../../../lambda/core/retry-policy.ts';
import type { World } from '../../../lambda/core/run.ts';
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
function leavingSiblings(world: World): World {
  const put: World['rowStates']['put'] = async (stream, states, guard) => {
    await Promise.all(chunks([...states]).map(chunk => world.rowStates.put(stream, new Map(chunk), guard)));
  };
  return { ...world, rowStates: { ...world.rowStates, put } };
}

function passingOnceReleased(lease: Lease): Lease {
  return {
    take: async () => {
      const held = await lease.take();
      if (!held) return undefined;
      let over = false;
      const { epoch, unclean, signal } = held;
      return {
        epoch,
        unclean,
        signal,
        guard: async () => {
          if (!over) await held.guard();
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
    variant: () => ({ world: leavingSiblings }),
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
      world: world => {
        const get: World['rowStates']['get'] = async (stream, ids) => {
          const states = await world.rowStates.get(stream, ids);
          if (stream !== 'assets' || ids.length > 1) return states;
          return new Map(
            [...states].map(([id, state]) => {
              const strikesOff = !(state instanceof Error) && !state.removed;
              return [id, strikesOff ? { ...state, sequence: LATEST_SEQUENCE } : state];
            }),
          );
        };
        return { ...world, rowStates: { ...world.rowStates, get } };
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
      edges: edges => ({
        ...edges,
        firehose: {
          send: async command => {
            for (let tries = 1; ; tries++) {
              try {
                return await edges.firehose.send(command);
              } catch (error) {
                const isThrottle = error instanceof Error && error.name === 'ServiceUnavailableException';
                if (isThrottle || tries === MAX_ATTEMPTS) throw error;
                await edges.clock.sleep(backoff(tries, edges.random));
              }
            }
          },
        },
      }),
    }),
  },
];
