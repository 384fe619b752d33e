/** Breaks each rule of the redrive of dead letters. */
import type { Ports } from '../../../lambda/core/run.ts';
import type { AssertLeaseValid, RowState } from '../../../lambda/ports.ts';
import type { StreamName } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import { content } from '../../../local/siem/lossless.ts';
import { type DeadLetter, readDeadLetter } from '../oracle/dead-letters.ts';
import { SEEN, sharing, withBodies, withNextCursor, withStates } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';

const NOTHING = async () => undefined;

/** Changes the row states that a redrive looks up for its dead letter. */
function withStateOf(ports: Ports, trying: Trying, change: (state: RowState, rowHash: string) => RowState): Ports {
  const isItsOwn = (stream: StreamName, states: readonly unknown[]) =>
    trying.deadLetter?.stream === stream && states.length === 1;
  return withStates(ports, state => change(state, trying.rowHash), isItsOwn);
}

/** Changes the lines that are sent for the dead letter. */
function withLine(ports: Ports, trying: Trying, change: (line: string) => string): Ports {
  const isOfDeadLetter = (line: string) => trying.deadLetter?.row !== undefined && line.includes(trying.text);
  const deliver: Ports['delivery']['deliver'] = (lines, assertLeaseValid) =>
    ports.delivery.deliver(
      lines.map(line => (isOfDeadLetter(line) ? change(line) : line)),
      assertLeaseValid,
    );
  return { ...ports, delivery: { deliver } };
}

export const DEAD_LETTER_MUTANTS: readonly Mutant[] = [
  {
    rule: 'A dead letter is deleted last',
    breakage: 'as soon as it is read',
    caughtAt: 12,
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
    rule: 'A dead letter that is dealt with is deleted',
    breakage: 'it stays',
    caughtAt: 9,
    variant: () => ({ ports: ports => ({ ...ports, deadLetters: { ...ports.deadLetters, remove: NOTHING } }) }),
  },
  {
    rule: 'A dead letter that can be sent is sent',
    breakage: 'every dead letter stays',
    caughtAt: 12,
    variant: () => ({
      ports: ports => ({ ...ports, deadLetters: { ...ports.deadLetters, read: NOTHING } }),
    }),
  },
  {
    rule: 'What is sent from a dead letter has a new sequence',
    breakage: 'one of the run before',
    caughtAt: 15,
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
    caughtAt: 9,
    variant: () => ({
      ports: whileTrying((ports, trying) => withStateOf(ports, trying, (state, rowHash) => ({ ...state, rowHash }))),
    }),
  },
  {
    rule: 'What was withdrawn or removed is not sent again',
    breakage: 'it is, as if it were live',
    caughtAt: 9,
    variant: () => ({
      ports: whileTrying((ports, trying) =>
        withStateOf(ports, trying, (state, rowHash) => (state.removed ? { ...state, rowHash } : state)),
      ),
    }),
  },
  {
    rule: 'States of an earlier generation do not say what the SIEM has',
    breakage: 'of a dead letter they do',
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
    caughtAt: 18,
    variant: () => ({
      ports: whileTrying((ports, trying) => ({ ...ports, rows: { row: async () => trying.text } })),
    }),
  },
  {
    rule: 'A dead letter that the API does not confirm stays',
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
    rule: 'A dead letter whose asset is removed stays',
    breakage: 'its asset counts as live',
    caughtAt: 15,
    variant: () => ({
      ports: whileTrying((ports, trying) => {
        const get: Ports['rowStates']['get'] = async (stream, ids) => {
          const isParent = trying.deadLetter?.stream === 'threats' && stream === 'assets' && ids.length === 1;
          return isParent ? new Map(ids.map(id => [id, SEEN])) : ports.rowStates.get(stream, ids);
        };
        return { ...ports, rowStates: { ...ports.rowStates, get } };
      }),
    }),
  },
  {
    rule: 'What is sent from a dead letter is recorded',
    breakage: 'its state is not written',
    caughtAt: 96,
    variant: () => ({
      ports: whileTrying((ports, trying) => {
        const put: Ports['rowStates']['put'] = async (stream, states, assertLeaseValid) => {
          const isOfDeadLetter = trying.deadLetter?.stream === stream && [...states.keys()].join() === trying.id;
          if (!isOfDeadLetter) await ports.rowStates.put(stream, states, assertLeaseValid);
        };
        return { ...ports, rowStates: { ...ports.rowStates, put } };
      }),
    }),
  },
  {
    rule: 'A threat that is sent from a dead letter is in the child index of its asset',
    breakage: 'no entry is written',
    caughtAt: 195,
    variant: () => ({
      ports: whileTrying((ports, trying) => {
        const put: Ports['childIndex']['put'] = async (stream, childIndex, assertLeaseValid) => {
          const isOfDeadLetter = trying.deadLetter?.stream === stream && childIndex.every(({ id }) => id === trying.id);
          if (!isOfDeadLetter) await ports.childIndex.put(stream, childIndex, assertLeaseValid);
        };
        return { ...ports, childIndex: { ...ports.childIndex, put } };
      }),
    }),
  },
  {
    rule: 'A dead letter that is sent twice has the same event_id',
    breakage: 'another at each try',
    caughtAt: 1107,
    variant: () => ({
      ports: whileTrying((ports, trying) =>
        withLine(ports, trying, line =>
          line.replace(/"event_id":"[^"]*"/, () => `"event_id":"${sha256(line).slice(0, 32)}"`),
        ),
      ),
    }),
  },
  {
    rule: "A dead letter's row travels untouched",
    breakage: 'it is parsed and written again',
    caughtAt: 12,
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
    rule: "Dead letters wait for the walk's end",
    breakage: 'they are redriven after the first page',
    caughtAt: 1881,
    variant: () => ({
      ports: (ports, command) => (command?.redrive ? withBodies(ports, body => withNextCursor(body, null)) : ports),
    }),
  },
  {
    rule: 'A command is refused while another run holds the lease',
    breakage: 'the dead letters are redriven',
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

/** Which dead letter a run redrives at the moment. */

/** The dead letter that was read last, until it is deleted. */
export interface Trying {
  key: string;
  /** Digest of an oversize row: it is in the key. */
  rowHash: string;
  deadLetter: DeadLetter | undefined;
  /** The row, and its id. */
  text: string;
  id: string;
}

/** @returns the ports that `change` makes, which see the dead letter at hand */
export function whileTrying(change: (ports: Ports, trying: Trying) => Ports): (ports: Ports) => Ports {
  return ports => {
    const trying: Trying = { key: '', rowHash: '', deadLetter: undefined, text: '', id: '' };
    const read = async (key: string) => {
      const body = await ports.deadLetters.read(key);
      if (body !== undefined) note(trying, key, body);
      return body;
    };
    const remove = async (key: string, assertLeaseValid: AssertLeaseValid) => {
      await ports.deadLetters.remove(key, assertLeaseValid);
      trying.deadLetter = undefined;
    };
    return change({ ...ports, deadLetters: { ...ports.deadLetters, read, remove } }, trying);
  };
}

function note(trying: Trying, key: string, body: string): void {
  const rowHash = /([0-9a-f]+)\.json$/.exec(key)?.[1] ?? '';
  const text = body.slice(body.indexOf(',"row":') + ',"row":'.length, body.lastIndexOf('}'));
  Object.assign(trying, { key, rowHash, text, deadLetter: readDeadLetter(body), id: JSON.parse(text).id ?? '' });
}
