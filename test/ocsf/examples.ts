/**
 * The lines of docs/ocsf.md: a real run of the function against the embedded platform, with clocks that only this script advances.
 *
 *     node test/ocsf/examples.ts    writes them into the page again
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { STREAMS } from '../../lambda/streams.ts';
import { connector } from '../lambda/support/connector.ts';
import { START } from '../lambda/support/stepped-clock.ts';
import { type OcsfEvent, readOcsf } from './validate.ts';
import { compiledFields } from './wide-mapping.ts';

const PAGE = path.join(import.meta.dirname, '..', '..', 'docs', 'ocsf.md');
const BLOCK = /^```jsonl\n([\s\S]*?)\n```$/gm;
const MINUTE = 60_000;

/** The mapping that the page shows. */
export function shownMapping(page = readFileSync(PAGE, 'utf8')) {
  return JSON.parse(/^```json\n([\s\S]*?)\n```$/m.exec(page)![1]!).ocsfFields;
}

/** In the order in which the page has them. */
export async function exampleLines(): Promise<string[]> {
  let now = START - 60 * MINUTE;
  const environment = { EVENT_FORMAT: 'ocsf', OCSF_FIELDS: JSON.stringify(compiledFields(shownMapping())) };
  await using each = await connector({ environment, platform: { clock: () => now } });
  const { platform } = each;
  const threat = (score: string) =>
    `{"id":"threat-19","asset_id":"asset-7f3a","title":"Outdated TLS","severity":"high","score":${score}}`;
  const pass = async () => {
    now += MINUTE;
    each.clock.advance(MINUTE);
    // One group of streams after the other. Two groups in one run take their sequences in no fixed order.
    await each.run({ streams: ['dns-blocks'] });
    await each.run({ streams: ['assets', 'threats'] });
  };
  platform.putAsset('{"id":"asset-7f3a","fqdn":"web-01.corp.example","serial":9007199254740993}');
  platform.putThreat(threat('7.0'));
  platform.putDnsBlock('{"id":"block-880142","domain":"malware.example"}');
  await pass();
  platform.putThreat(threat('9.5'));
  platform.putThreat({ id: 'threat-20', asset_id: 'asset-7f3a', note: 'x'.repeat(1_100_000) });
  await pass();
  platform.removeAsset('asset-7f3a');
  await pass();
  const sorted = (await each.lines()).toSorted((one, other) => rank(readOcsf(one)) - rank(readOcsf(other)));
  // Both threats were withdrawn; one line of each kind is enough.
  return [...new Map(sorted.toReversed().map(line => [kindOf(readOcsf(line)), line])).values()].toReversed();
}

function kindOf({ class_uid, activity_id, metadata }: OcsfEvent): string {
  return `${class_uid} ${activity_id} ${metadata['is_truncated']}`;
}

/** Streams in their order, and the events of each as they were sent. */
function rank({ metadata: { log_name: name, sequence } }: OcsfEvent): number {
  return STREAMS.findIndex(stream => stream.name === name) * 1e15 + Number(sequence);
}

export function shownLines(page = readFileSync(PAGE, 'utf8')): string[] {
  return [...page.matchAll(BLOCK)].map(match => match[1]!);
}

if (import.meta.main) {
  const lines = await exampleLines();
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(BLOCK, () => `\`\`\`jsonl\n${lines.shift()}\n\`\`\``),
  );
  process.exit();
}
