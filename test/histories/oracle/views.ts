/** The SQL that users get as a second judge: the lines of many histories in one database, a connector each. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { VIEWS, type View } from '../../../lib/query/views.ts';
import { createViews } from '../../../local/query/create-views.ts';
import { content } from './lossless.ts';
import type { Observation } from './observation.ts';
import { keyOf } from './siem.ts';

export class ViewsJudge implements Disposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(views: readonly View[] = VIEWS): Promise<ViewsJudge> {
    // One history a core already: more threads would only wait for each other.
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run('create table lines(line varchar, delivery_day varchar)');
    await createViews(connection, views);
    return new ViewsJudge(instance, connection);
  }

  /** @returns what each history breaches, in a sentence each */
  async judge(observations: readonly Observation[]): Promise<string[][]> {
    await this.#load(observations);
    const copies = await this.#copies(observations.length);
    const changes = await this.#changes();
    return observations.map((observation, history) => [
      ...unlikeTruth(observation, copies[history]!),
      ...unlikeChanges(observation, changes.get(String(history)) ?? 0),
    ]);
  }

  async #load(observations: readonly Observation[]): Promise<void> {
    await this.#connection.run('delete from lines');
    const appender = await this.#connection.createAppender('lines');
    for (const [history, observation] of observations.entries()) {
      for (const { line } of keptEvents(observation)) {
        appender.appendVarchar(line.replace(/,"connector":"[^"]*"/, `,"connector":"${history}"`));
        appender.appendNull();
        appender.endRow();
      }
    }
    appender.closeSync();
  }

  async #copies(count: number): Promise<Copy[]> {
    const copies = Array.from({ length: count }, (): Copy => new Map());
    const rows = (await this.#connection.runAndReadAll(COPY)).getRows() as Held[];
    for (const [connector, stream, id, state, row] of rows) {
      const copy = copies[Number(connector)]!;
      const key = keyOf(stream, id);
      copy.set(key, [...(copy.get(key) ?? []), { state, row }]);
    }
    return copies;
  }

  async #changes(): Promise<Map<string, number>> {
    const counts = 'select connector, cast(count(*) as integer) from changes group by connector';
    return new Map((await this.#connection.runAndReadAll(counts)).getRows() as [string, number][]);
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

type State = 'present' | 'removed';
type Held = [connector: string, stream: string, id: string, state: State, row: string | null];
/** By stream and id what the views have: one entry, unless they are wrong. */
type Copy = Map<string, readonly Entry[]>;

interface Entry {
  readonly state: State;
  readonly row: string | null;
}

const COPY = `
  select connector, 'assets', id, 'present', row from current_assets
  union all select connector, 'assets', id, 'removed', row from removed_assets
  union all select connector, 'threats', id, 'present', row from current_threats
  union all select connector, 'dns-blocks', id, 'present', row from dns_blocks`;

/** A SIEM that asked for a replay has nothing of what came before. */
function keptEvents({ events, lostBefore }: Observation): Observation['events'] {
  return events.filter(({ stream, at }) => at >= (lostBefore.get(stream) ?? 0));
}

function unlikeTruth({ truth }: Observation, copy: Copy): string[] {
  const faults: string[] = [];
  for (const [stream, rows] of Object.entries(truth)) {
    for (const [id, row] of rows) {
      const key = keyOf(stream, id);
      const held = copy.get(key) ?? [];
      copy.delete(key);
      const state = JSON.parse(row).deleted ? 'removed' : 'present';
      // The tombstone of an asset that the SIEM never had is not for it.
      if (held.length === 0 && state === 'removed') continue;
      const isRight = held.length === 1 && held[0]!.state === state && isContent(held[0]!.row, row);
      if (!isRight) faults.push(`In the views, ${key} is ${JSON.stringify(held)} and should be ${row}`);
    }
  }
  return [...faults, ...[...copy].map(([key, held]) => `In the views, ${key} is a ghost: ${JSON.stringify(held)}`)];
}

function isContent(held: string | null, row: string): boolean {
  try {
    return held !== null && content(held) === content(row);
  } catch {
    // A row that was cut in the wrong place is no JSON.
    return false;
  }
}

function unlikeChanges(observation: Observation, counted: number): string[] {
  const told = new Set(keptEvents(observation).map(({ eventId }) => eventId)).size;
  return counted === told ? [] : [`In the views, there are ${counted} changes, and ${told} events were told`];
}
