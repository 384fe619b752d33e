/** What the SQL views say exists, held against what the API answers. */
import { STREAMS } from '../../lambda/streams.ts';
import { content } from '../../local/rows/lossless.ts';
import { keyOf } from './siem.ts';

/** Asks for everything that the views show of the present, a connector's each. */
export const COPY_QUERY = STREAMS.flatMap(({ name, hasRowStates, tombstones }) => {
  const table = name.replaceAll('-', '_');
  const rows = (state: State, view: string) => `select connector, '${name}', id, '${state}', row from ${view}`;
  return [
    rows('present', hasRowStates ? `current_${table}` : table),
    ...(tombstones ? [rows('removed', `removed_${table}`)] : []),
  ];
}).join(' union all ');

type State = 'present' | 'removed';
export type CopyRow = readonly [connector: string, stream: string, id: string, state: State, row: string | null];

/** By stream and id what the views have: one entry, unless they are wrong. */
export type ViewsCopy = Map<string, Entry[]>;

interface Entry {
  readonly state: State;
  readonly row: string | null;
}

export function addTo(copy: ViewsCopy, [, stream, id, state, row]: CopyRow): void {
  const key = keyOf(stream, id);
  const entries = copy.get(key) ?? [];
  copy.set(key, entries);
  entries.push({ state, row });
}

/** @param truth rows by stream and id @returns a sentence for each violation; `stream_position` aside, every digit counts */
export function unlikeTruth(
  truth: Iterable<readonly [stream: string, rows: ReadonlyMap<string, string>]>,
  copy: ViewsCopy,
): string[] {
  const ghosts = new Map(copy);
  const violations: string[] = [];
  for (const [stream, rows] of truth) {
    for (const [id, row] of rows) {
      const key = keyOf(stream, id);
      ghosts.delete(key);
      const held = copy.get(key) ?? [];
      if (!isRight(held, row)) violations.push(`In the views, ${key} is ${JSON.stringify(held)} and should be ${row}`);
    }
  }
  return [
    ...violations,
    ...[...ghosts].map(([key, held]) => `In the views, ${key} is a ghost: ${JSON.stringify(held)}`),
  ];
}

function isRight(held: readonly Entry[], row: string): boolean {
  const state = JSON.parse(row).deleted ? 'removed' : 'present';
  const [entry, ...others] = held;
  // The tombstone of an asset that the SIEM never had is not for it.
  if (!entry) return state === 'removed';
  return others.length === 0 && entry.state === state && isContent(entry.row, row);
}

function isContent(held: string | null, row: string): boolean {
  try {
    return held !== null && content(held) === content(row);
  } catch {
    // A row that was cut in the wrong place is no JSON.
    return false;
  }
}
