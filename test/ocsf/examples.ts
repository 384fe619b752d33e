/**
 * The lines of docs/ocsf.md: a real run of the function against the embedded platform, with clocks that only this module advances.
 * `npm run examples -- --write` writes them into the page again.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { STREAMS } from '../../lambda/streams.ts';
import { EXAMPLE_FILTERS, EXAMPLE_ROWS, exampleId, OTHER_STREAMS } from '../docs/example-rows.ts';
import { connector } from '../lambda/support/connector.ts';
import { START } from '../lambda/support/stepped-clock.ts';
import { type OcsfEvent, readOcsf } from './validate.ts';
import { compiledFields } from './wide-mapping.ts';

export const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'ocsf.md');
const BLOCK = /^```jsonl\n([\s\S]*?)\n```$/gm;
const MINUTE = 60_000;

/** The mapping that the page shows. */
export function shownMapping(page = readFileSync(PAGE, 'utf8')) {
  return JSON.parse(/^```json\n([\s\S]*?)\n```$/m.exec(page)![1]!).ocsfFields;
}

/** In the order in which the page has them. */
export async function exampleLines(): Promise<string[]> {
  let now = START - 60 * MINUTE;
  const environment = {
    EVENT_FORMAT: 'ocsf',
    OCSF_FIELDS: JSON.stringify(compiledFields(shownMapping())),
    FILTERS: JSON.stringify(EXAMPLE_FILTERS),
  };
  await using each = await connector({ environment, platform: { clock: () => now } });
  const { platform } = each;
  const pass = async () => {
    now += MINUTE;
    each.clock.advance(MINUTE);
    // One group of streams after the other. Two groups in one run take their sequences in no fixed order.
    for (const group of [...Map.groupBy(STREAMS, stream => stream.group).values()].reverse())
      await each.run({ streams: group.map(({ name }) => name) });
  };
  for (const { name } of STREAMS) platform.put(name, EXAMPLE_ROWS[name]);
  await pass();
  platform.put('threats', EXAMPLE_ROWS.threats.replace('7.0', '9.5'));
  platform.put('threats', { id: 'threat-20', asset_id: 'asset-7f3a', note: 'x'.repeat(1_100_000) });
  for (const { name, hasRowStates } of OTHER_STREAMS)
    if (hasRowStates) platform.put(name, EXAMPLE_ROWS[name].replace('}', ',"changed":true}'));
  await pass();
  for (const { name, hasRowStates, tombstones } of STREAMS)
    if (hasRowStates && tombstones) platform.remove(name, exampleId(name));
  await pass();
  for (const state of ['in use', 'retired']) {
    platform.put('assets', { id: 'asset-81c0', state });
    await pass();
  }
  const sorted = (await each.lines()).toSorted((one, other) => rank(readOcsf(one)) - rank(readOcsf(other)));
  // Both threats were withdrawn; one line of each kind is enough.
  return [...Map.groupBy(sorted, line => kindOf(readOcsf(line))).values()].map(([first]) => first!);
}

function kindOf({ class_uid, activity_id, metadata }: OcsfEvent): string {
  return `${metadata['log_name']} ${class_uid} ${activity_id} ${metadata['is_truncated']}`;
}

/** Streams in their order, and the events of each as they were sent. */
function rank({ metadata: { log_name: name, sequence } }: OcsfEvent): number {
  return STREAMS.findIndex(stream => stream.name === name) * 1e15 + Number(sequence);
}

export function shownLines(page = readFileSync(PAGE, 'utf8')): string[] {
  return [...page.matchAll(BLOCK)].map(match => match[1]!);
}

/** The page with its examples replaced by these, in their order. */
export function withExamples(page: string, lines: readonly string[]): string {
  const left = [...lines];
  return page.replace(BLOCK, () => `\`\`\`jsonl\n${left.shift()}\n\`\`\``);
}
