/** Breaks how rows and events are identified, and how they arrive. */

import type { Ports } from '../../../lambda/core/run.ts';
import { sha256 } from '../../../lambda/system.ts';
import { withBodies, withLines, withRows, withStates } from './changed-ports.ts';
import type { Mutant } from './mutant.ts';

/** Canonical rows are JSON objects; what else is hashed is not. */
function hashing(content: (canonical: string) => string) {
  return (text: string) => sha256(text.startsWith('{') ? content(text) : text);
}

const POSITION = /"stream_position":\s*("[^"]*"|-?\d+)/;
const NOWHERE = '"stream_position":"nowhere"';

/** The core sees every row at one and the same position; the events still carry the position of the row's last delivery. */
function withoutPositions(ports: Ports): Ports {
  const positions = new Map<string, string>();
  const key = (row: string) => JSON.stringify(JSON.parse(row));
  const moved = withBodies(ports, body =>
    withRows(body, rows =>
      rows.map(row => {
        const bare = row.replace(POSITION, NOWHERE);
        positions.set(key(bare), POSITION.exec(row)?.[0] ?? NOWHERE);
        return bare;
      }),
    ),
  );
  return withLines(moved, line => {
    const position = positions.get(key(/"row":(\{.*\})\}$/s.exec(line)?.[1] ?? '{}')) ?? NOWHERE;
    return line.replaceAll(NOWHERE, () => position);
  });
}

export const CONTENT_MUTANTS: readonly Mutant[] = [
  {
    rule: 'A row whose content is what was last sent is a re-delivery',
    breakage: 'each new position counts as a change',
    caughtAt: 7,
    variant: () => ({ ports: ports => withStates(ports, state => ({ ...state, rowHash: '' })) }),
  },
  {
    rule: 'updated_at does not decide what is new',
    breakage: 'the digest is of id and updated_at',
    variant: () => ({
      clients: clients => {
        const known = (text: string) => (text.match(/"(?:id|updated_at|deleted)":(?:"[^"]*"|\w+)/g) ?? []).join();
        return { ...clients, hash: hashing(known) };
      },
    }),
  },
  {
    rule: 'The digest sees every digit',
    breakage: 'numbers are compared as JavaScript reads them',
    caughtAt: 40,
    variant: () => ({
      clients: clients => ({
        ...clients,
        hash: hashing(text => text.replace(/-?\d+(\.\d+)?(e\d+)?/g, digits => String(Number(digits)))),
      }),
    }),
  },
  {
    rule: 'The window distinguishes versions by their position too',
    breakage: 'by its content alone, and event_id likewise',
    caughtAt: 7,
    variant: () => ({ ports: withoutPositions }),
  },
  {
    rule: 'event_id is of the position too',
    breakage: 'of the content alone',
    caughtAt: 9,
    variant: () => ({
      ports: ports =>
        withLines(ports, line => {
          const content = line.replace(/"stream_position":\s*"[^"]*"/g, '').replace(/^.*?"kind"/, '');
          const bare = content.replace(/"forwarded_at":"[^"]*"/, '');
          return line.replace(/"event_id":"[^"]*"/, `"event_id":"${sha256(bare).slice(0, 32)}"`);
        }),
    }),
  },
  {
    rule: 'Rows travel untouched',
    breakage: 'they are parsed and written again',
    variant: () => ({ ports: ports => withLines(ports, line => JSON.stringify(JSON.parse(line))) }),
  },
  {
    rule: 'The greatest sequence is the truth',
    breakage: 'the greatest stream_position is',
    caughtAt: 12,
    variant: () => ({ siem: (one, other) => String(one.position) > String(other.position) }),
  },
  {
    rule: 'The greatest sequence is the truth',
    breakage: 'the last to arrive is',
    variant: () => ({ siem: () => true }),
  },
  {
    rule: 'sequence rises with every run',
    breakage: 'the epoch takes no part',
    variant: () => ({
      ports: ports => withLines(ports, line => line.replace(/"sequence":"\d{10}/, '"sequence":"0000000001')),
    }),
  },
  {
    rule: 'A replay sends everything again',
    breakage: 'states of an earlier generation still count',
    caughtAt: 11,
    variant: () => ({
      ports: ports => withStates(ports, state => ({ ...state, generation: Number.MAX_SAFE_INTEGER })),
    }),
  },
  {
    rule: 'A row that comes back after a withdrawal has another event_id',
    breakage: 'no mark of the withdrawal is kept',
    caughtAt: 155,
    variant: () => ({ ports: ports => withStates(ports, state => ({ ...state, revision: '' })) }),
  },
];
