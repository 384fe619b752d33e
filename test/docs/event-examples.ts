/** A line of each kind, as the function sends it: over the embedded platform, with a fixed clock and fixed tenant data. */
import { parseEvent } from '../../local/aws/delivered.ts';
import { type Connector, connector } from '../lambda/support/connector.ts';
import { START } from '../lambda/support/stepped-clock.ts';

const MINUTE = 60_000;
/** Longer than the mantissa of a double, and with a fraction that a parser would drop. */
const ASSET = '{"id":"asset-7f3a","name":"web-01","serial":9007199254740993}';
const THREAT = '{"id":"threat-19","asset_id":"asset-7f3a","title":"Outdated TLS","score":7.0}';
const DNS_BLOCK = '{"id":"block-880142","domain":"malware.example"}';
const TOO_LARGE = { id: 'threat-20', asset_id: 'asset-81c0', evidence: 'x'.repeat(1_030_000) };

/** What happens before each run. A run reads one group of streams, because the sequences of groups that run side by side depend on timing. */
const STORY: readonly [streams: readonly string[], happens: (platform: Connector['platform']) => void][] = [
  [['assets', 'threats'], platform => [platform.putAsset(ASSET), platform.putThreat(THREAT)]],
  [['assets', 'threats'], platform => platform.removeAsset('asset-7f3a')],
  [['dns-blocks'], platform => platform.putDnsBlock(DNS_BLOCK)],
  [['assets'], platform => platform.putAsset({ id: 'asset-81c0' })],
  [['threats'], platform => platform.putThreat(TOO_LARGE)],
];

/** Every line of the story, in the order of their sequences. */
export async function storyLines(): Promise<string[]> {
  let now = (): number => START;
  await using each = await connector({ platform: { clock: () => now() } });
  now = each.clock.now;
  for (const [streams, happens] of STORY) {
    happens(each.platform);
    each.clock.advance(MINUTE);
    await each.run({ streams });
  }
  const events = (await each.lines()).map(line => ({ line, sequence: parseEvent(line, 'delivered').sequence }));
  return events.sort((one, other) => (one.sequence < other.sequence ? -1 : 1)).map(({ line }) => line);
}

/** The first line of each stream and kind. */
export async function exampleLines(): Promise<ReadonlyMap<string, string>> {
  const first = new Map<string, string>();
  for (const line of await storyLines()) {
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
  const { stream, kind } = parseEvent(line, 'an example');
  return `${stream} ${kind}`;
}
