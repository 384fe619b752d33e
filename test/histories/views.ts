/** Holds the copy that the SQL views give against the API. Many histories are in one database, each as a connector of its own. */
import { STREAMS } from '../../lambda/streams.ts';
import type { LinesDatabase } from '../local/query/support/lines-database.ts';
import { addTo, COPY_QUERY, type CopyRow, unlikeTruth, type ViewsCopy } from '../support/views-copy.ts';
import { historiesOf, play } from './explore.ts';
import { RULES } from './histories.ts';
import { Stage } from './language.ts';
import { Oracle } from './oracle.ts';

/** What a history leaves behind for the views. */
export interface Lines {
  readonly name: string;
  readonly lines: readonly string[];
  readonly expected: ReturnType<Oracle['expectedRows']>;
  /** Events with news. */
  readonly changes: number;
}

/** One history of each rule after which one SIEM has everything. */
export async function linesOfRules(): Promise<Lines[]> {
  const played: Lines[] = [];
  for (const { name, line } of RULES) {
    if (/\b(lose|restore|twin|client|fat)\b/.test(line)) continue;
    const { value: words } = await historiesOf(line.split(' ')).next();
    if (words) played.push(await linesOf(name, words));
  }
  return played;
}

async function linesOf(name: string, words: readonly string[]): Promise<Lines> {
  const stage = new Stage(words);
  await play(words, stage);
  const { world, lost } = stage;
  const kept = world.events.filter(({ stream }, index) => index >= (lost.get(stream) ?? 0));
  const changes = new Set(kept.filter(({ refresh }) => !refresh).map(({ eventId }) => eventId)).size;
  return { name, lines: kept.map(({ line }) => line), expected: new Oracle(stage).expectedRows(), changes };
}

/** Before anything that a row could hold. */
const CONNECTOR = /(,"connector":)"[^"]*"/;

/** @returns what is wrong with the views, in a sentence each */
export async function viewBreaches(played: readonly Lines[], database: LinesDatabase): Promise<string[]> {
  await database.hold(
    played.flatMap(({ lines }, history) => lines.map(line => line.replace(CONNECTOR, `$1"${history}"`))),
  );
  const copies = played.map((): ViewsCopy => new Map());
  for (const row of (await database.tuples(COPY_QUERY)) as unknown as CopyRow[]) addTo(copies[Number(row[0])]!, row);
  const counts = 'select connector, cast(count(*) as integer) from changes group by connector';
  const counted = new Map((await database.tuples(counts)) as [string, number][]);

  return played.flatMap(({ name, expected, changes }, history) => {
    const found = counted.get(String(history)) ?? 0;
    const breaches = unlikeTruth(expected, withoutUnexpected(copies[history]!, expected));
    const wrong = found === changes ? [] : [`In the views, there are ${found} changes, and ${changes} were sent`];
    return [...breaches, ...wrong].map(breach => `${name}: ${breach}`);
  });
}

/** A removed asset that was restored, and that the filter excludes, stays removed to the SIEM. */
function withoutUnexpected(copy: ViewsCopy, expected: Lines['expected']): ViewsCopy {
  const isExpected = (key: string) => STREAMS.some(({ name }) => expected.get(name)!.has(key.slice(name.length + 1)));
  const isRemoved = ([key, entries]: [string, { readonly state: string }[]]) =>
    entries.every(({ state }) => state === 'removed') && !isExpected(key);
  return new Map([...copy].filter(entry => !isRemoved(entry as [string, { readonly state: string }[]])));
}
