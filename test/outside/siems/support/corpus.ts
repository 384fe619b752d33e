/**
 * Events that the function delivers from the embedded API simulator: more than 10,000 ids, changes
 * and changes back, removals, restored assets, a replay, rows that a naive mapping refuses. Also
 * lines that cannot be caused on purpose.
 */

import { envelope } from '../../../local/query/support/event-lines.ts';
import { connector } from '../../../support/function/connector.ts';

export interface Corpus {
  /** Lines before the replay, and lines of the replay. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const ASSETS = 4_800;
const THREATS = 6_400;
const DNS_BLOCKS = 900;

/** The longest id that the connector forwards: 5,461 characters, here of three bytes each. */
export const LONGEST_ID = '鍵'.repeat(5_461);

const MANY_MEMBERS = Array.from({ length: 2_000 }, (_, index) => `"member_${index}":${index}`).join();
const DEEP = `${'{"a":'.repeat(21)}1${'}'.repeat(21)}`;
const DEEPEST = `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`;

/** Members that naive mappings, decoders or terms refuse. */
const BREAKERS: Readonly<Record<string, string>> = {
  infinite: '"value":1e400',
  'empty-name': '"":"no name","a":{"":{"":1}}',
  'text-first': '"conflict":"text"',
  'number-then': '"conflict":7',
  'object-then': '"conflict":{"a":[1,{"b":2}]}',
  'list-then': '"conflict":[[],{},"x",null]',
  members: MANY_MEMBERS,
  deep: `"deep":${DEEP}`,
  deepest: `"deep":${DEEPEST}`,
  dots: '".":1,"a.b":2,"a":{"b":3},"a..b":4,"b.":5',
  twice: '"dup":1,"dup":"two"',
  digits: `"number":${'9'.repeat(1_500)},"fraction":0.${'1'.repeat(1_200)}`,
  'long-name': `"${'n'.repeat(60_000)}":1`,
  'long-value': `"value":"${'v'.repeat(40_000)}"`,
  nul: '"a\\u0000b":"\\u0000","alone":"\\ud800"',
  names:
    '"_id":"x","_source":{},"@timestamp":"never","__proto__":{"id":"x"},"kind":{"a":1},"stream":[],"sequence":1e99',
  quote: '"text":",\\"row\\":{","line":"\\u2028\\u2029"',
  time: '"time":"yesterday"',
};

export async function corpus(): Promise<Corpus> {
  await using each = await connector();
  const { simulator } = each;
  simulator.populate({ assets: ASSETS, threats: THREATS, dnsBlocks: DNS_BLOCKS });
  putBreakers(simulator);
  await runAll(each);
  // B, A, B: the second B is another event than the first.
  for (const value of ['B', 'A', 'B']) {
    simulator.put('assets', { id: 'changes-back', value });
    simulator.put('threats', { id: 'threat-changes-back', asset_id: 'changes-back', value });
    await runAll(each);
  }
  for (const id of ['asset-2', 'asset-3', 'asset-5', 'changes-back']) simulator.remove('assets', id);
  await runAll(each);
  for (const id of ['asset-3', 'changes-back']) simulator.restore('assets', id);
  await runAll(each);
  const before = [...(await each.lines()), ...UNCAUSED];
  await each.run({ replay: ['assets', 'threats'] });
  await runAll(each);
  const delivered = new Set(before);
  return { before, after: (await each.lines()).filter(line => !delivered.has(line)) };
}

export type Scene = Awaited<ReturnType<typeof connector>>;

export async function runAll(each: Scene): Promise<void> {
  while ((await each.run()).more);
}

/** Rows that break a naive consumer, and an event without its row. */
export function putBreakers(simulator: Scene['simulator']): void {
  for (const [name, members] of Object.entries(BREAKERS)) {
    simulator.put('assets', `{"id":"breaker-${name}",${members}}`);
    simulator.put('threats', `{"id":"threat-${name}","asset_id":"breaker-${name}",${members}}`);
  }
  simulator.put('assets', { id: LONGEST_ID, name: 'the longest id' });
  simulator.put('assets', { id: 'id "quoted" \\ ,"row":{ / ?#%', name: 'an id that must be escaped' });
  // Too long for an id: a dead letter. Too large for a line: an event without its row.
  simulator.put('assets', { id: 'i'.repeat(40_000), name: 'no event' });
  simulator.put('assets', { id: 'too-large', text: 'x'.repeat(1_100_000) });
}

const LONG_AGO = '2025-01-01T00:00:00.000Z';
const JUST_NOW = new Date().toISOString();

/**
 * Sequences of `aged` and `back`, which according to their newest event were not updated for 30
 * days.
 */
export const NOT_UPDATED = [20, 24] as const;

/** An event of another connector than the one that delivered the rest. */
function crashed(sequence: number, id: string, more: Partial<Parameters<typeof envelope>[0]> = {}): string {
  return envelope({ connector: 'crashed', sequence, id, row: `{"id":"${id}"}`, ...more });
}

/** What cannot be caused on purpose. */
const UNCAUSED: readonly string[] = [
  // After a crash it read an old version again.
  crashed(1, 'again', { eventId: 'b'.repeat(32), row: '{"id":"again","value":"B"}' }),
  crashed(2, 'again', { eventId: 'a'.repeat(32), row: '{"id":"again","value":"A"}' }),
  crashed(3, 'again', { eventId: 'b'.repeat(32), row: '{"id":"again","value":"B"}' }),
  crashed(4, 'gone'),
  crashed(5, 'gone', { kind: 'tombstone', row: '{"id":"gone","deleted":true}' }),
  crashed(6, 'times', { time: '2999-11-20T12:00,5+01' }),
  crashed(9_223_372_036, 'late'),
  crashed(7, 'far', { stream: 'threats', assetId: 'é'.repeat(20_000) }),
  // Excluded by a filter that was added.
  crashed(10, 'filtered'),
  crashed(11, 'filtered', { kind: 'withdrawn' }),
  // Times of the last update.
  crashed(20, 'aged', { time: LONG_AGO }),
  crashed(21, 'updated', { time: LONG_AGO }),
  crashed(22, 'updated', { time: JUST_NOW }),
  crashed(23, 'back', { time: JUST_NOW }),
  crashed(24, 'back', { time: LONG_AGO }),
  crashed(25, 'aged-gone', { time: LONG_AGO }),
  crashed(26, 'aged-gone', { kind: 'tombstone', time: LONG_AGO }),
  // Kinds of a later release.
  ...[crashed(8, 'again', { row: '{"id":"again","value":"of a later release"}' }), crashed(0, 'test-1')].map(line =>
    line.replace('"kind":"upsert"', '"kind":"of-a-later-release"'),
  ),
];

/** A line that no connector sends, because its id is too long. An index must still accept it. */
export const ID_OF_40_000_BYTES = envelope({
  sequence: 1,
  connector: 'never',
  id: 'i'.repeat(40_000),
  eventId: 'c'.repeat(32),
  row: '{"id":"x"}',
});

/** Each line twice, in a shuffled order that is the same in each run. */
export function shuffledTwice(lines: readonly string[], random: () => number): string[] {
  return shuffled([...lines, ...lines], random);
}

export function shuffled<T>(all: readonly T[], random: () => number): T[] {
  const keyed = all.map(each => [random(), each] as const);
  return keyed.sort(([one], [other]) => one - other).map(([, each]) => each);
}
