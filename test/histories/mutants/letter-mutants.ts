/** Dead letters tried again: each rule of it broken. */
import { sha256 } from '../../../lambda/adapters/sha256.ts';
import type { World } from '../../../lambda/core/run.ts';
import type { RowState } from '../../../lambda/ports.ts';
import { content } from '../oracle/lossless.ts';
import { withBodies, withNextCursor } from './bodies.ts';
import type { Mutant } from './mutant.ts';
import { SEEN, sharing } from './stand-ins.ts';
import { type Trying, whileTrying } from './trying.ts';

const NOTHING = async () => undefined;

/** The states of single rows of the letter's stream, as they are looked up for it. */
function withStateOf(world: World, trying: Trying, change: (state: RowState, digest: string) => RowState): World {
  const get: World['rowStates']['get'] = async (stream, ids) => {
    const states = await world.rowStates.get(stream, ids);
    const { letter, digest } = trying;
    if (letter?.stream !== stream || ids.length > 1) return states;
    return new Map([...states].map(([id, state]) => [id, state instanceof Error ? state : change(state, digest)]));
  };
  return { ...world, rowStates: { ...world.rowStates, get } };
}

/** The lines that are sent for the letter. */
function withLine(world: World, trying: Trying, change: (line: string) => string): World {
  const isOfLetter = (line: string) => trying.letter?.row !== undefined && line.includes(trying.text);
  const deliver: World['delivery']['deliver'] = (lines, guard) =>
    world.delivery.deliver(
      lines.map(line => (isOfLetter(line) ? change(line) : line)),
      guard,
    );
  return { ...world, delivery: { deliver } };
}

export const LETTER_MUTANTS: readonly Mutant[] = [
  {
    rule: 'A letter is deleted last',
    breakage: 'as soon as it is read',
    variant: () => ({
      world: world => {
        const read = async (key: string) => {
          const body = await world.deadLetters.read(key);
          if (body !== undefined) await world.deadLetters.remove(key, async () => undefined);
          return body;
        };
        return { ...world, deadLetters: { ...world.deadLetters, read } };
      },
    }),
  },
  {
    rule: 'A letter that is dealt with is deleted',
    breakage: 'it stays',
    variant: () => ({ world: world => ({ ...world, deadLetters: { ...world.deadLetters, remove: NOTHING } }) }),
  },
  {
    rule: 'A letter that can be sent is sent',
    breakage: 'every letter stays',
    variant: () => ({
      world: world => ({ ...world, deadLetters: { ...world.deadLetters, read: NOTHING } }),
    }),
  },
  {
    rule: 'What is sent from a letter has a new sequence',
    breakage: 'one of the run before',
    variant: () => ({
      world: whileTrying((world, trying) =>
        withLine(world, trying, line =>
          line.replace(
            /"sequence":"(\d{10})/,
            (_, epoch: string) => `"sequence":"${`${Number(epoch) - 1}`.padStart(10, '0')}`,
          ),
        ),
      ),
    }),
  },
  {
    rule: 'An oversize row is sent only while its state is its own',
    breakage: 'whatever the state says',
    variant: () => ({
      world: whileTrying((world, trying) => withStateOf(world, trying, (state, digest) => ({ ...state, digest }))),
    }),
  },
  {
    rule: 'What was withdrawn or removed is not sent again',
    breakage: 'it is, as if it were live',
    variant: () => ({
      world: whileTrying((world, trying) =>
        withStateOf(world, trying, (state, digest) => (state.removed ? { ...state, digest } : state)),
      ),
    }),
  },
  {
    rule: 'States of an earlier generation do not say what the SIEM has',
    breakage: 'of a letter they do',
    caughtAt: 186,
    variant: () => ({
      world: whileTrying((world, trying) =>
        withStateOf(world, trying, state => ({ ...state, generation: Number.MAX_SAFE_INTEGER })),
      ),
    }),
  },
  {
    rule: 'A row without a state is sent only if the API answers the same',
    breakage: 'the API is not asked',
    variant: () => ({
      world: whileTrying((world, trying) => ({ ...world, rows: { row: async () => trying.text } })),
    }),
  },
  {
    rule: 'A letter that the API does not confirm stays',
    breakage: 'it is dropped',
    caughtAt: 45,
    variant: () => ({
      world: whileTrying((world, trying) => {
        const row: World['rows']['row'] = async (...args) => {
          const answer = await world.rows.row(...args).catch(async (cause: unknown) => {
            await world.deadLetters.remove(trying.key, async () => undefined);
            throw cause;
          });
          if (content(answer) !== trying.letter?.content)
            await world.deadLetters.remove(trying.key, async () => undefined);
          return answer;
        };
        return { ...world, rows: { row } };
      }),
    }),
  },
  {
    rule: 'A letter whose asset is removed stays',
    breakage: 'its asset counts as live',
    variant: () => ({
      world: whileTrying((world, trying) => {
        const get: World['rowStates']['get'] = async (stream, ids) => {
          const isOwner = trying.letter?.stream === 'threats' && stream === 'assets' && ids.length === 1;
          return isOwner ? new Map(ids.map(id => [id, SEEN])) : world.rowStates.get(stream, ids);
        };
        return { ...world, rowStates: { ...world.rowStates, get } };
      }),
    }),
  },
  {
    rule: 'What is sent from a letter is recorded',
    breakage: 'its state is not written',
    caughtAt: 90,
    variant: () => ({
      world: whileTrying((world, trying) => {
        const put: World['rowStates']['put'] = async (stream, states, guard) => {
          const isOfLetter = trying.letter?.stream === stream && [...states.keys()].join() === trying.id;
          if (!isOfLetter) await world.rowStates.put(stream, states, guard);
        };
        return { ...world, rowStates: { ...world.rowStates, put } };
      }),
    }),
  },
  {
    rule: 'A threat that is sent from a letter is a member of its asset',
    breakage: 'no membership is written',
    caughtAt: 195,
    variant: () => ({
      world: whileTrying((world, trying) => {
        const put: World['memberships']['put'] = async (stream, memberships, guard) => {
          const isOfLetter = trying.letter?.stream === stream && memberships.every(({ id }) => id === trying.id);
          if (!isOfLetter) await world.memberships.put(stream, memberships, guard);
        };
        return { ...world, memberships: { ...world.memberships, put } };
      }),
    }),
  },
  {
    rule: 'A letter that is sent twice bears the same event_id',
    breakage: 'another at each try',
    caughtAt: 78,
    variant: () => ({
      world: whileTrying((world, trying) =>
        withLine(world, trying, line =>
          line.replace(/"event_id":"[^"]*"/, () => `"event_id":"${sha256(line).slice(0, 32)}"`),
        ),
      ),
    }),
  },
  {
    rule: "A letter's row travels untouched",
    breakage: 'it is parsed and written again',
    variant: () => ({
      world: world => {
        const read = async (key: string) => {
          const body = await world.deadLetters.read(key);
          return body && JSON.stringify(JSON.parse(body));
        };
        return { ...world, deadLetters: { ...world.deadLetters, read } };
      },
    }),
  },
  {
    rule: "Letters wait for the walk's end",
    breakage: 'they are tried after the first page',
    caughtAt: 1881,
    variant: () => ({
      world: (world, order) => (order?.redrive ? withBodies(world, body => withNextCursor(body, null)) : world),
    }),
  },
  {
    rule: 'An order is refused while another run holds the lease',
    breakage: 'the letters are tried all the same',
    variant: () => {
      let epoch = 0;
      return {
        lease: (lease, order) => ({
          take: async () => {
            const held = await lease.take();
            epoch = held?.epoch ?? epoch;
            return held ?? (order?.redrive ? sharing(epoch) : undefined);
          },
        }),
      };
    },
  },
];
