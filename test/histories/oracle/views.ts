/** The SQL that users get as a second judge: the lines of many histories in one database, a connector each. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { VIEWS, type View } from '../../../lib/query/views.ts';
import { createViews } from '../../../local/query/create-views.ts';
import type { Observation } from './observation.ts';
import { addTo, COPY_QUERY, type CopyRow, unlikeTruth, type ViewsCopy } from './views-copy.ts';

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
      ...unlikeTruth(Object.entries(observation.truth), copies[history]!),
      ...unlikeChanges(observation, changes.get(String(history)) ?? 0),
    ]);
  }

  async #load(observations: readonly Observation[]): Promise<void> {
    await this.#connection.run('delete from lines');
    const appender = await this.#connection.createAppender('lines');
    for (const [history, observation] of observations.entries()) {
      for (const { line } of keptEvents(observation)) {
        appender.appendVarchar(line.replace(CONNECTOR, `$1"${history}"`));
        appender.appendNull();
        appender.endRow();
      }
    }
    appender.closeSync();
  }

  async #copies(count: number): Promise<ViewsCopy[]> {
    const copies = Array.from({ length: count }, (): ViewsCopy => new Map());
    const rows = (await this.#connection.runAndReadAll(COPY_QUERY)).getRows() as unknown as CopyRow[];
    for (const row of rows) addTo(copies[Number(row[0])]!, row);
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

/** In the envelope and in OCSF, each before anything that a row could hold. */
const CONNECTOR = /(,"(?:connector|tenant_uid)":)"[^"]*"/;

/** A SIEM that asked for a replay has nothing of what came before. */
function keptEvents({ events, lostBefore }: Observation): Observation['events'] {
  return events.filter(({ stream, at }) => at >= (lostBefore.get(stream) ?? 0));
}

function unlikeChanges(observation: Observation, counted: number): string[] {
  const told = new Set(keptEvents(observation).map(({ eventId }) => eventId)).size;
  return counted === told ? [] : [`In the views, there are ${counted} changes, and ${told} events were told`];
}
