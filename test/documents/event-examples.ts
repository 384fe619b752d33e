/**
 * A line of each kind, as the function sends it: over the embedded API simulator, with a fixed
 * clock and fixed tenant data.
 */

import { leaseKey } from '../../lambda/store/item.ts';
import type { StreamName } from '../../lambda/streams.ts';
import { testEventLine } from '../../lib/test-event.ts';
import { parseEvent } from '../../local/aws/delivered.ts';
import { type Connector, connector } from '../support/function/connector.ts';
import { START } from '../support/function/stepped-clock.ts';
import { EXAMPLE_FILTERS, EXAMPLE_ROWS, exampleId, OTHER_STREAMS } from './example-rows.ts';

const MINUTE = 60_000;
/** In place of the random id with which a table is born, because it is part of each `event_id`. */
const TABLE_ID = '5f0c8f0e-3a52-4a0e-9d2f-6b1f0f9a7c11';
const TOO_LARGE = { id: 'threat-20', asset_id: 'asset-81c0', evidence: 'x'.repeat(1_030_000) };

type Step = readonly [streams: readonly string[], happens: (simulator: Connector['simulator']) => void];

/**
 * Changes before each run. A run reads one group of streams, because the sequences of groups
 * that run side by side depend on timing.
 */
const STORY: readonly Step[] = [
  [['assets', 'threats'], simulator => addAll(simulator, ['assets', 'threats'])],
  [['assets', 'threats'], simulator => simulator.remove('assets', 'asset-7f3a')],
  [['dns-blocks'], simulator => addAll(simulator, ['dns-blocks'])],
  [['assets'], simulator => simulator.put('assets', { id: 'asset-81c0' })],
  [['threats'], simulator => simulator.put('threats', TOO_LARGE)],
  [['assets'], simulator => simulator.put('assets', { id: 'asset-81c0', state: 'retired' })],
  ...OTHER_STREAMS.flatMap(({ name, hasRowStates, tombstones }): Step[] => [
    [[name], simulator => addAll(simulator, [name])],
    ...(hasRowStates && tombstones ? [[[name], simulator => simulator.remove(name, exampleId(name))] as Step] : []),
  ]),
];

function addAll(simulator: Connector['simulator'], names: readonly StreamName[]): void {
  for (const name of names) simulator.put(name, EXAMPLE_ROWS[name]);
}

/** Every line of the story, in the order of their sequences. */
async function storyLines(): Promise<string[]> {
  let now = (): number => START;
  const environment = { FILTERS: JSON.stringify(EXAMPLE_FILTERS) };
  await using each = await connector({ environment, simulator: { clock: () => now() } });
  now = each.clock.now;
  await each.table.update({
    Key: leaseKey,
    UpdateExpression: 'SET table_id = :id',
    ExpressionAttributeValues: { ':id': { S: TABLE_ID } },
  });
  for (const [streams, happens] of STORY) {
    happens(each.simulator);
    each.clock.advance(MINUTE);
    await each.run({ streams });
  }
  const events = (await each.lines()).map(line => ({ line, sequence: parseEvent(line).sequence }));
  return events.sort((one, other) => (one.sequence < other.sequence ? -1 : 1)).map(({ line }) => line);
}

/** The first line of each stream and kind. */
export async function exampleLines(): Promise<ReadonlyMap<string, string>> {
  const first = new Map<string, string>();
  const test = { connector: 'acme', id: '5d41402abc4b2a76b9719d911017c592', time: new Date(START + 6 * MINUTE) };
  for (const line of [...(await storyLines()), testEventLine(test).trimEnd()]) {
    const label = labelOf(line);
    if (!first.has(label)) first.set(label, line);
  }
  return first;
}

const BLOCK = /^(```jsonl\n)([\s\S]*?)(\n```)$/gm;

/** The page with each example in its place replaced by the line of that stream and kind. */
export function withExamples(page: string, examples: ReadonlyMap<string, string>): string {
  return page.replace(BLOCK, (_, open: string, shown: string, close: string) => {
    const line = examples.get(labelOf(shown));
    if (line === undefined) throw new Error(`No run delivers an event of ${labelOf(shown)}`);
    return `${open}${line}${close}`;
  });
}

function labelOf(line: string): string {
  const { stream, kind } = parseEvent(line);
  return `${stream} ${kind}`;
}
