/** Breaks the order of the commit, the lease, the fence, and the rule that nothing outlives its run. */

import { backoff, MAX_ATTEMPTS } from '../../../lambda/core/retry.ts';
import type { Ports } from '../../../lambda/core/run.ts';
import type { Lease } from '../../../lambda/ports.ts';
import { refusingOnceReleased, sharing, withStates } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';
import { whileWithdrawing } from './withdrawal-mutants.ts';

const LATEST_EPOCH = 999_999;
const LEASE_VALID = async () => undefined;

/** Answers at once and sends when `deliverNow` is called. */
function deferred(ports: Ports) {
  const waiting: (readonly string[])[] = [];
  const deliver = async (lines: readonly string[]) => {
    waiting.push(lines);
    return 0;
  };
  const deliverNow = async () => {
    for (const lines of waiting.splice(0)) await ports.delivery.deliver(lines, LEASE_VALID);
  };
  return { delivery: { deliver }, deliverNow };
}

export const COMMIT_MUTANTS: readonly Mutant[] = [
  {
    rule: "No cursor is saved before Firehose's ack",
    breakage: 'the checkpoint comes first',
    variant: () => ({
      ports: ports => {
        const { delivery, deliverNow } = deferred(ports);
        const save: Ports['checkpoints']['save'] = async (...args) => {
          await ports.checkpoints.save(...args);
          await deliverNow();
        };
        return { ...ports, delivery, checkpoints: { ...ports.checkpoints, save } };
      },
    }),
  },
  {
    rule: "No row state is written before Firehose's ack",
    breakage: 'the states come first',
    variant: () => ({
      ports: ports => {
        const { delivery, deliverNow } = deferred(ports);
        const put: Ports['rowStates']['put'] = async (...args) => {
          await ports.rowStates.put(...args);
          await deliverNow();
        };
        const save: Ports['checkpoints']['save'] = async (...args) => {
          await deliverNow();
          await ports.checkpoints.save(...args);
        };
        return {
          ...ports,
          delivery,
          rowStates: { ...ports.rowStates, put },
          checkpoints: { ...ports.checkpoints, save },
        };
      },
    }),
  },
  {
    rule: 'Row states are written before the checkpoint',
    breakage: 'they are not written',
    variant: () => ({ ports: ports => ({ ...ports, rowStates: { ...ports.rowStates, put: LEASE_VALID } }) }),
  },
  {
    rule: 'An intent is written before a row is sent',
    breakage: 'no intent is written',
    caughtAt: 158,
    variant: () => ({
      ports: ports => ({ ...ports, checkpoints: { ...ports.checkpoints, saveIntents: LEASE_VALID } }),
    }),
  },
  {
    rule: 'A failed record is sent again',
    breakage: 'a partial failure counts as success',
    variant: () => ({
      clients: clients => ({
        ...clients,
        firehose: {
          send: async command => {
            const answer = await clients.firehose.send(command);
            return { ...answer, RequestResponses: answer.RequestResponses.map(() => ({ RecordId: '1' })) };
          },
        },
      }),
    }),
  },
  {
    rule: 'Unprocessed items are written again',
    breakage: 'they are forgotten',
    caughtAt: 205,
    variant: () => ({
      clients: clients => ({
        ...clients,
        dynamodb: { send: async command => ({ ...(await clients.dynamodb.send(command)), UnprocessedItems: {} }) },
      }),
    }),
  },
  {
    rule: 'One run at a time',
    breakage: 'an occupied lease is ignored',
    variant: () => {
      let runs = 0;
      return {
        lease: lease => ({ take: async () => (await lease.take()) ?? sharing(LATEST_EPOCH + ++runs) }),
      };
    },
  },
  {
    rule: 'The epoch rises at each take',
    breakage: 'it stays',
    variant: () => ({
      lease: lease => ({
        take: async () => {
          const held = await lease.take();
          return (
            held && {
              epoch: 1,
              dirty: held.dirty,
              signal: held.signal,
              assertValid: held.assertValid,
              release: outcome => held.release(outcome),
            }
          );
        },
      }),
    }),
  },
  {
    rule: 'A run that lost its lease stops, and the fence keeps its writes back',
    breakage: 'it continues, and every write passes',
    caughtAt: 10,
    variant: () => ({
      ports: ports => ({
        ...ports,
        checkpoints: {
          ...ports.checkpoints,
          save: (stream, checkpoint) => ports.checkpoints.save(stream, checkpoint, LATEST_EPOCH),
          saveIntents: (stream, batches) => ports.checkpoints.saveIntents(stream, batches, LATEST_EPOCH),
          fence: LEASE_VALID,
        },
      }),
      lease: lease => ({
        take: async () => {
          const held = await lease.take();
          const { signal } = new AbortController();
          return (
            held &&
            refusingOnceReleased({
              epoch: held.epoch,
              dirty: held.dirty,
              signal,
              assertValid: LEASE_VALID,
              release: outcome => held.release(outcome),
            })
          );
        },
      }),
    }),
  },
  {
    rule: 'A secret just rotated is read again',
    breakage: 'the cached one is used for ever',
    variant: () => {
      let first: Promise<unknown> | undefined;
      return {
        clients: clients => ({
          ...clients,
          secrets: {
            send: command => {
              first ??= clients.secrets.send(command);
              return first;
            },
          },
        }),
      };
    },
  },
];

/** Nothing outlives its run, and nothing is written without the lease. */

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
      ports: whileWithdrawing((ports, withdrawal) =>
        withStates(
          ports,
          state => (state.removed ? state : { ...state, sequence: LATEST_SEQUENCE }),
          stream => stream === 'assets' && withdrawal.running,
        ),
      ),
    }),
  },
  {
    rule: 'No request outlasts the lease',
    breakage: 'requests take their time, whatever the term',
    caughtAt: 10,
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
