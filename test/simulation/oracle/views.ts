/** The SQL that users get as a second judge: the lines of many histories in one database, a connector each. */
import { VIEWS, type View } from '../../../lib/query/views.ts';
import { openDuckDbLines } from '../../lib/query/support/duckdb-lines.ts';
import type { LinesDatabase } from '../../lib/query/support/lines-database.ts';
import type { Observation } from './observation.ts';
import { addTo, COPY_QUERY, type CopyRow, unlikeTruth, type ViewsCopy } from './views-copy.ts';

export class ViewsCheck implements AsyncDisposable {
  readonly #database: LinesDatabase;

  constructor(database: LinesDatabase) {
    this.#database = database;
  }

  static async open(views: readonly View[] = VIEWS): Promise<ViewsCheck> {
    // One history a core already: more threads would only wait for each other.
    return new ViewsCheck(await openDuckDbLines({ threads: 1, views }));
  }

  /** @returns what each history breaches, in a sentence each */
  async check(observations: readonly Observation[]): Promise<string[][]> {
    await this.#load(observations);
    const copies = await this.#copies(observations.length);
    const changes = await this.#changes();
    return observations.map((observation, history) => [
      ...unlikeTruth(Object.entries(observation.truth), copies[history]!),
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
