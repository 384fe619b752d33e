/** The order of the commit, the lease and the fence: each broken. */
import type { Ports } from '../../../lambda/core/run.ts';
import type { Mutant } from './mutant.ts';
import { refusingOnceReleased, sharing } from './stand-ins.ts';

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
    rule: 'What is about to be sent is noted first',
    breakage: 'there is no in-flight note',
    caughtAt: 76,
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
    breakage: 'it goes on, and every write passes',
    caughtAt: 206,
    variant: () => ({
      ports: ports => ({
        ...ports,
        checkpoints: {
          load: streams => ports.checkpoints.load(streams),
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
