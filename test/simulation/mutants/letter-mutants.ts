/** Dead letters tried again: each rule of it broken. */

import type { Ports } from '../../../lambda/core/run.ts';
import type { RowState } from '../../../lambda/ports.ts';
import { sha256 } from '../../../lambda/system.ts';
import { content } from '../oracle/lossless.ts';
import { withBodies, withNextCursor } from './bodies.ts';
import type { Mutant } from './mutant.ts';
import { SEEN, sharing } from './stand-ins.ts';
import { type Trying, whileTrying } from './trying.ts';

const NOTHING = async () => undefined;

/** The states of single rows of the letter's stream, as they are looked up for it. */
function withStateOf(ports: Ports, trying: Trying, change: (state: RowState, rowHash: string) => RowState): Ports {
  const get: Ports['rowStates']['get'] = async (stream, ids) => {
    const states = await ports.rowStates.get(stream, ids);
    const { deadLetter, rowHash } = trying;
    if (deadLetter?.stream !== stream || ids.length > 1) return states;
    return new Map([...states].map(([id, state]) => [id, state instanceof Error ? state : change(state, rowHash)]));
  };
  return { ...ports, rowStates: { ...ports.rowStates, get } };
}

/** The lines that are sent for the letter. */
function withLine(ports: Ports, trying: Trying, change: (line: string) => string): Ports {
  const isOfLetter = (line: string) => trying.deadLetter?.row !== undefined && line.includes(trying.text);
  const deliver: Ports['delivery']['deliver'] = (lines, assertLeaseValid) =>
    ports.delivery.deliver(
      lines.map(line => (isOfLetter(line) ? change(line) : line)),
      assertLeaseValid,
    );
  return { ...ports, delivery: { deliver } };
}

export const LETTER_MUTANTS: readonly Mutant[] = [
  {
    rule: 'A letter is deleted last',
    breakage: 'as soon as it is read',
    variant: () => ({
      ports: ports => {
        const read = async (key: string) => {
          const body = await ports.deadLetters.read(key);
          if (body !== undefined) await ports.deadLetters.remove(key, async () => undefined);
          return body;
        };
        return { ...ports, deadLetters: { ...ports.deadLetters, read } };
      },
    }),
  },
  {
    rule: 'A letter that is dealt with is deleted',
    breakage: 'it stays',
    variant: () => ({ ports: ports => ({ ...ports, deadLetters: { ...ports.deadLetters, remove: NOTHING } }) }),
  },
  {
    rule: 'A letter that can be sent is sent',
    breakage: 'every letter stays',
    variant: () => ({
      ports: ports => ({ ...ports, deadLetters: { ...ports.deadLetters, read: NOTHING } }),
    }),
  },
  {
    rule: 'What is sent from a letter has a new sequence',
    breakage: 'one of the run before',
    variant: () => ({
      ports: whileTrying((ports, trying) =>
        withLine(ports, trying, line =>
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
      ports: whileTrying((ports, trying) => withStateOf(ports, trying, (state, rowHash) => ({ ...state, rowHash }))),
    }),
  },
  {
    rule: 'What was withdrawn or removed is not sent again',
    breakage: 'it is, as if it were live',
    variant: () => ({
      ports: whileTrying((ports, trying) =>
        withStateOf(ports, trying, (state, rowHash) => (state.removed ? { ...state, rowHash } : state)),
      ),
    }),
  },
  {
    rule: 'States of an earlier generation do not say what the SIEM has',
    breakage: 'of a letter they do',
    caughtAt: 186,
    variant: () => ({
      ports: whileTrying((ports, trying) =>
        withStateOf(ports, trying, state => ({ ...state, generation: Number.MAX_SAFE_INTEGER })),
      ),
    }),
  },
  {
    rule: 'A row without a state is sent only if the API answers the same',
    breakage: 'the API is not asked',
    variant: () => ({
      ports: whileTrying((ports, trying) => ({ ...ports, rows: { row: async () => trying.text } })),
    }),
  },
  {
    rule: 'A letter that the API does not confirm stays',
    breakage: 'it is dropped',
    caughtAt: 45,
    variant: () => ({
      ports: whileTrying((ports, trying) => {
        const row: Ports['rows']['row'] = async (...args) => {
          const answer = await ports.rows.row(...args).catch(async (cause: unknown) => {
            await ports.deadLetters.remove(trying.key, async () => undefined);
            throw cause;
          });
          if (content(answer) !== trying.deadLetter?.content)
            await ports.deadLetters.remove(trying.key, async () => undefined);
          return answer;
        };
        return { ...ports, rows: { row } };
      }),
    }),
  },
  {
    rule: 'A letter whose asset is removed stays',
    breakage: 'its asset counts as live',
    variant: () => ({
      ports: whileTrying((ports, trying) => {
        const get: Ports['rowStates']['get'] = async (stream, ids) => {
          const isOwner = trying.deadLetter?.stream === 'threats' && stream === 'assets' && ids.length === 1;
          return isOwner ? new Map(ids.map(id => [id, SEEN])) : ports.rowStates.get(stream, ids);
        };
        return { ...ports, rowStates: { ...ports.rowStates, get } };
      }),
    }),
  },
  {
    rule: 'What is sent from a letter is recorded',
    breakage: 'its state is not written',
    caughtAt: 90,
    variant: () => ({
      ports: whileTrying((ports, trying) => {
        const put: Ports['rowStates']['put'] = async (stream, states, assertLeaseValid) => {
          const isOfLetter = trying.deadLetter?.stream === stream && [...states.keys()].join() === trying.id;
          if (!isOfLetter) await ports.rowStates.put(stream, states, assertLeaseValid);
        };
        return { ...ports, rowStates: { ...ports.rowStates, put } };
      }),
    }),
  },
  {
    rule: 'A threat that is sent from a letter is a member of its asset',
    breakage: 'no membership is written',
    caughtAt: 195,
    variant: () => ({
      ports: whileTrying((ports, trying) => {
        const put: Ports['childIndex']['put'] = async (stream, childIndex, assertLeaseValid) => {
          const isOfLetter = trying.deadLetter?.stream === stream && childIndex.every(({ id }) => id === trying.id);
          if (!isOfLetter) await ports.childIndex.put(stream, childIndex, assertLeaseValid);
        };
        return { ...ports, childIndex: { ...ports.childIndex, put } };
      }),
    }),
  },
  {
    rule: 'A letter that is sent twice bears the same event_id',
    breakage: 'another at each try',
    caughtAt: 78,
    variant: () => ({
      ports: whileTrying((ports, trying) =>
        withLine(ports, trying, line =>
          line.replace(/"event_id":"[^"]*"/, () => `"event_id":"${sha256(line).slice(0, 32)}"`),
        ),
      ),
    }),
  },
  {
    rule: "A letter's row travels untouched",
    breakage: 'it is parsed and written again',
    variant: () => ({
      ports: ports => {
        const read = async (key: string) => {
          const body = await ports.deadLetters.read(key);
          return body && JSON.stringify(JSON.parse(body));
        };
        return { ...ports, deadLetters: { ...ports.deadLetters, read } };
      },
    }),
  },
  {
    rule: "Letters wait for the walk's end",
    breakage: 'they are tried after the first page',
    caughtAt: 1881,
    variant: () => ({
      ports: (ports, command) => (command?.redrive ? withBodies(ports, body => withNextCursor(body, null)) : ports),
    }),
  },
  {
    rule: 'An order is refused while another run holds the lease',
    breakage: 'the letters are tried all the same',
    variant: () => {
      let epoch = 0;
      return {
        lease: (lease, command) => ({
          take: async () => {
            const held = await lease.take();
            epoch = held?.epoch ?? epoch;
            return held ?? (command?.redrive ? sharing(epoch) : undefined);
          },
        }),
      };
    },
  },
];
