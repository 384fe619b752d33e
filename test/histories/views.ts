/**
 * Holds the copy that the SQL views give against the API. Many histories are in one database, each
 * as a connector of its own.
 */
import { STREAMS } from '../../lambda/streams.ts';
import type { LinesDatabase } from '../local/query/support/lines-database.ts';
import { historiesOf, play } from './explore.ts';
import { RULES } from './histories.ts';
import { Stage } from './language.ts';
import { Oracle } from './oracle.ts';
import { contentOf } from './world.ts';

/** The lines that a history leaves behind for the views. */
export interface Lines {
  readonly name: string;
  readonly lines: readonly string[];
  /** By stream and id the rows that the SIEM should have. */
  readonly expected: ReadonlyMap<string, string>;
  /** Events with news. */
  readonly changes: number;
}

/** Whether one SIEM has everything after the histories of the line. */
export function isForViews(line: string): boolean {
  return !/\b(lose|restore|twin|client|fat)\b/.test(line);
}

/** Plays the first history of each rule that is for the views. */
export async function playForViews(): Promise<Lines[]> {
  const played: Lines[] = [];
  for (const { name, line } of RULES.filter(rule => isForViews(rule.line))) {
    const { value: words } = await historiesOf(line.split(' ')).next();
    const stage = new Stage(words!);
    await play(words!, stage);
    played.push(linesOf(name, stage));
  }
  return played;
}

/** @returns what is wrong with the views of these histories, in a sentence each */
export async function viewBreaches(database: LinesDatabase, played: readonly Lines[]): Promise<string[]> {
  const lines = played.flatMap((history, number) =>
    history.lines.map(line => line.replace(CONNECTOR, `$1"${number}"`)),
  );
  await database.hold(lines);
  const rows = Map.groupBy((await database.tuples(COPY)) as unknown as CopyRow[], ([connector]) => Number(connector));
  const counts = 'select connector, cast(count(*) as integer) from changes group by connector';
  const counted = new Map((await database.tuples(counts)) as [string, number][]);
  return played.flatMap(({ name, expected, changes }, number) => {
    const found = counted.get(String(number)) ?? 0;
    const miscounted = found === changes ? [] : [`There are ${found} changes, and ${changes} were sent`];
    return [...unlike(expected, rows.get(number) ?? []), ...miscounted].map(breach => `${name}: ${breach}`);
  });
}

/** Before anything that a row could hold. */
const CONNECTOR = /(,"connector":)"[^"]*"/;

/** @param stage of a history that has been played */
export function linesOf(name: string, stage: Stage): Lines {
  const { world, lost } = stage;
  const kept = world.events.filter(event => !lost.has(event));
  const changes = new Set(kept.filter(({ refresh }) => !refresh).map(({ eventId }) => eventId)).size;
  const expected = [...new Oracle(stage).expectedRows()].flatMap(([stream, rows]) =>
    [...rows].map(([id, row]) => [`${stream} ${id}`, row] as const),
  );
  return { name, lines: kept.map(({ line }) => line), expected: new Map(expected), changes };
}

type State = 'present' | 'removed';
type CopyRow = readonly [connector: string, stream: string, id: string, state: State, row: string];

/** Asks for everything that the views show of the present. */
const COPY = STREAMS.flatMap(({ name, hasRowStates, tombstones }) => {
  const table = name.replaceAll('-', '_');
  const rows = (state: State, view: string) => `select connector, '${name}', id, '${state}', row from ${view}`;
  return [
    rows('present', hasRowStates ? `current_${table}` : table),
    ...(tombstones ? [rows('removed', `removed_${table}`)] : []),
  ];
}).join(' union all ');

function unlike(expected: ReadonlyMap<string, string>, rows: readonly CopyRow[]): string[] {
  const left = new Map(expected);
  const wrong = rows.filter(([, stream, id, state, row]) => {
    const right = left.get(`${stream} ${id}`);
    left.delete(`${stream} ${id}`);
    // A removed asset that was restored, and that the filter excludes, stays removed to the SIEM.
    if (right === undefined) return state !== 'removed';
    return contentOf(right) !== contentOf(row) || state !== stateOf(right);
  });
  // The tombstone of an asset that the SIEM never had is not for it.
  const missing = [...left.values()].filter(row => stateOf(row) === 'present');
  return [...wrong.map(row => `The views have ${row.join(' ')}`), ...missing.map(row => `The views lack ${row}`)];
}

function stateOf(row: string): State {
  return JSON.parse(row).deleted === true ? 'removed' : 'present';
}
