/** Ports that behave as those of a careless implementation: changed answers, states and leases. */
import { LeaseLostError } from '../../../lambda/core/errors.ts';
import type { Ports } from '../../../lambda/core/run.ts';
import type { HeldLease, PageRequest, RowState, StoredState } from '../../../lambda/ports.ts';
import type { StreamName } from '../../../lambda/streams.ts';

const LEASE_VALID = async () => undefined;

/** The state of a row that was seen, live, and says nothing else. */
export const SEEN: RowState = {
  rowHash: '',
  generation: 0,
  removed: false,
  parent: undefined,
  sequence: '',
  forwardedAt: '',
  revision: '',
};

/** Takes the lease of another run as if there were none. */
export function sharing(epoch: number): HeldLease {
  const { signal } = new AbortController();
  return refusingOnceReleased({ epoch, dirty: false, signal, assertValid: LEASE_VALID, release: LEASE_VALID });
}

/** A lease that breaks another rule than that it refuses once it was given back. */
export function refusingOnceReleased({ epoch, dirty, signal, assertValid, release }: HeldLease): HeldLease {
  let over = false;
  return {
    epoch,
    dirty,
    signal,
    assertValid: async () => {
      if (over) throw new LeaseLostError('it was given back');
      await assertValid();
    },
    release: async outcome => {
      over = true;
      await release(outcome);
    },
  };
}

/** @returns the ports with changed events */
export function withLines(ports: Ports, change: (line: string) => string): Ports {
  return {
    ...ports,
    delivery: {
      deliver: (lines, assertLeaseValid) => ports.delivery.deliver(lines.map(change), assertLeaseValid),
    },
  };
}

/**
 * @param applies to which look-ups, by their stream and what they found; without it to all
 * @returns the ports with changed row states, the intact ones that is
 */
export function withStates(
  ports: Ports,
  change: (state: RowState) => RowState,
  applies: (stream: StreamName, states: readonly StoredState[]) => boolean = () => true,
): Ports {
  const get: Ports['rowStates']['get'] = async (stream, ids) => {
    const states = await ports.rowStates.get(stream, ids);
    if (!applies(stream, [...states.values()])) return states;
    return new Map([...states].map(([id, state]) => [id, state instanceof Error ? state : change(state)]));
  };
  return { ...ports, rowStates: { ...ports.rowStates, get } };
}

/** Changes of list answers, and of calls for them, on their way to the core. */

export type BodyChange = (body: string, request: PageRequest) => string;

/** @returns the ports with changed answers */
export function withBodies(ports: Ports, change: BodyChange): Ports {
  const page = async (request: PageRequest) => Buffer.from(change(text(await ports.source.page(request)), request));
  return { ...ports, source: { page } };
}

export function text(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

export function nextCursorOf(body: string): string | null {
  const found = /"next_cursor":\s*(?:"([^"]*)"|null)/.exec(body);
  return found?.[1] ?? null;
}

export function withNextCursor(body: string, cursor: string | null): string {
  return body.replace(/"next_cursor":\s*(?:"[^"]*"|null)/, () => `"next_cursor":${JSON.stringify(cursor)}`);
}

/** The texts of the rows of an answer, with the text before and after them. */
function cutRows(body: string): { head: string; rows: string[]; tail: string } {
  const from = body.search(/\[\s*\{/);
  if (from < 0) return { head: body, rows: [], tail: '' };
  const rows: string[] = [];
  let depth = 0;
  let start = from + 1;
  let inString = false;
  for (let at = from + 1; at < body.length; at++) {
    const char = body[at];
    if (inString) {
      if (char === '\\') at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (!inString && depth === 0 && char === '}') {
      rows.push(body.slice(start, at + 1));
      start = body.indexOf(',', at) + 1;
    }
    if (depth < 0) return { head: body.slice(0, from + 1), rows, tail: body.slice(at) };
  }
  throw new Error('An answer without the end of its rows');
}

export function withRows(body: string, change: (rows: string[]) => string[]): string {
  const { head, rows, tail } = cutRows(body);
  if (rows.length === 0) return body;
  const changed = change(rows);
  return `${head}${changed.join(',')}${tail}`.replace(/"page_size":\s*\d+/, `"page_size":${changed.length}`);
}
