/** The order of the commit, the lease and the fence: each broken. */
import type { World } from '../../../lambda/core/run.ts';
import type { Mutant } from './mutant.ts';
import { refusingOnceReleased, sharing } from './stand-ins.ts';

const LATEST_EPOCH = 999_999;
const NO_GUARD = async () => undefined;

/** Answers at once and sends when `deliverNow` is called. */
function deferred(world: World) {
  const waiting: (readonly string[])[] = [];
  const deliver = async (lines: readonly string[]) => {
    waiting.push(lines);
    return 0;
  };
  const deliverNow = async () => {
    for (const lines of waiting.splice(0)) await world.delivery.deliver(lines, NO_GUARD);
  };
  return { delivery: { deliver }, deliverNow };
}

export const COMMIT_MUTANTS: readonly Mutant[] = [
  {
    rule: "No cursor is saved before Firehose's ack",
    breakage: 'the checkpoint comes first',
    variant: () => ({
      world: world => {
        const { delivery, deliverNow } = deferred(world);
        const save: World['checkpoints']['save'] = async (...args) => {
          await world.checkpoints.save(...args);
          await deliverNow();
        };
        return { ...world, delivery, checkpoints: { ...world.checkpoints, save } };
      },
    }),
  },
  {
    rule: "No row state is written before Firehose's ack",
    breakage: 'the states come first',
    variant: () => ({
      world: world => {
        const { delivery, deliverNow } = deferred(world);
        const put: World['rowStates']['put'] = async (...args) => {
          await world.rowStates.put(...args);
          await deliverNow();
        };
        const save: World['checkpoints']['save'] = async (...args) => {
          await deliverNow();
          await world.checkpoints.save(...args);
        };
        return {
          ...world,
          delivery,
          rowStates: { ...world.rowStates, put },
          checkpoints: { ...world.checkpoints, save },
        };
      },
    }),
  },
  {
    rule: 'Row states are written before the checkpoint',
    breakage: 'they are not written',
    variant: () => ({ world: world => ({ ...world, rowStates: { ...world.rowStates, put: NO_GUARD } }) }),
  },
  {
    rule: 'What is about to be sent is noted first',
    breakage: 'there is no in-flight note',
    caughtAt: 76,
    variant: () => ({ world: world => ({ ...world, checkpoints: { ...world.checkpoints, saveInFlight: NO_GUARD } }) }),
  },
  {
    rule: 'A failed record is sent again',
    breakage: 'a partial failure counts as success',
    variant: () => ({
      edges: edges => ({
        ...edges,
        firehose: {
          send: async command => {
            const answer = await edges.firehose.send(command);
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
      edges: edges => ({
        ...edges,
        dynamodb: { send: async command => ({ ...(await edges.dynamodb.send(command)), UnprocessedItems: {} }) },
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
              unclean: held.unclean,
              signal: held.signal,
              guard: held.guard,
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
      world: world => ({
        ...world,
        checkpoints: {
          load: streams => world.checkpoints.load(streams),
          save: (stream, checkpoint) => world.checkpoints.save(stream, checkpoint, LATEST_EPOCH),
          saveInFlight: (stream, batches) => world.checkpoints.saveInFlight(stream, batches, LATEST_EPOCH),
          fence: NO_GUARD,
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
              unclean: held.unclean,
              signal,
              guard: NO_GUARD,
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
        edges: edges => ({
          ...edges,
          secrets: {
            send: command => {
              first ??= edges.secrets.send(command);
              return first;
            },
          },
        }),
      };
    },
  },
];
