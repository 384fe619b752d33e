/** Checks the copy that the SQL views give. The lines of many histories are in one database, each as a connector of its own. */
import { STREAMS } from '../../../lambda/streams.ts';
import { content } from '../../../local/siem/lossless.ts';
import { type LinesDatabase, openDuckDbLines } from '../../local/query/support/lines-database.ts';
import { keyOf } from '../../support/siem.ts';
import type { Observation } from './observation.ts';

export class ViewsCheck implements AsyncDisposable {
  readonly #database: LinesDatabase;

  constructor(database: LinesDatabase) {
    this.#database = database;
  }

  static async open(): Promise<ViewsCheck> {
    // One history a core already: more threads would only wait for each other.
    return new ViewsCheck(await openDuckDbLines({ threads: 1 }));
  }

  /** @returns what each history breaches, in a sentence each */
  async check(observations: readonly Observation[]): Promise<string[][]> {
    await this.#load(observations);
    const copies = await this.#copies(observations.length);
    const changes = await this.#changes();
    return observations.map((observation, history) => [
      ...unlikeTruth(Object.entries(observation.truth), withoutRemoved(copies[history]!, observation.withheld)),
      ...unlikeChanges(observation, changes.get(String(history)) ?? 0),
    ]);
  }

  async #load(observations: readonly Observation[]): Promise<void> {
    const lines = observations.flatMap((observation, history) =>
      keptEvents(observation).map(({ line }) => line.replace(CONNECTOR, `$1"${history}"`)),
    );
    await this.#database.hold(lines);
  }

  async #copies(count: number): Promise<ViewsCopy[]> {
    const copies = Array.from({ length: count }, (): ViewsCopy => new Map());
    const rows = (await this.#database.tuples(COPY_QUERY)) as unknown as CopyRow[];
    for (const row of rows) addTo(copies[Number(row[0])]!, row);
    return copies;
  }

  async #changes(): Promise<Map<string, number>> {
    const counts = 'select connector, cast(count(*) as integer) from changes group by connector';
    return new Map((await this.#database.tuples(counts)) as [string, number][]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

/** A row that was restored, and that the filter excludes, stays removed to the SIEM. */
function withoutRemoved(copy: ViewsCopy, withheld: ReadonlySet<string>): ViewsCopy {
  const isRemoved = (entries: readonly Entry[]) => entries.every(({ state }) => state === 'removed');
  return new Map([...copy].filter(([key, entries]) => !withheld.has(key) || !isRemoved(entries)));
}

/** Before anything that a row could hold. */
const CONNECTOR = /(,"connector":)"[^"]*"/;

/** A SIEM that asked for a replay has nothing of what came before. */
function keptEvents({ events, lostBefore }: Observation): Observation['events'] {
  return events.filter(({ stream, at }) => at >= (lostBefore.get(stream) ?? 0));
}

function unlikeChanges(observation: Observation, counted: number): string[] {
  const changes = keptEvents(observation).filter(({ refresh }) => !refresh);
  const distinct = new Set(changes.map(({ eventId }) => eventId)).size;
  return counted === distinct
    ? []
    : [`In the views, there are ${counted} changes, and ${distinct} distinct events were sent`];
}

/** What the views say exists, held against what the platform says. */

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

/** @param truth rows by stream and id @returns a sentence a fault; `stream_position` aside, every digit counts */
export function unlikeTruth(
  truth: Iterable<readonly [stream: string, rows: ReadonlyMap<string, string>]>,
  copy: ViewsCopy,
): string[] {
  const ghosts = new Map(copy);
  const faults: string[] = [];
  for (const [stream, rows] of truth) {
    for (const [id, row] of rows) {
      const key = keyOf(stream, id);
      ghosts.delete(key);
      const held = copy.get(key) ?? [];
      if (!isRight(held, row)) faults.push(`In the views, ${key} is ${JSON.stringify(held)} and should be ${row}`);
    }
  }
  return [...faults, ...[...ghosts].map(([key, held]) => `In the views, ${key} is a ghost: ${JSON.stringify(held)}`)];
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
