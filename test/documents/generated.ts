/**
 * The parts of docs/ that follow from declarations and recordings. `npm run documents` writes them,
 * and a test holds them.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { costRows, tenantRows } from '../../bench/cost.ts';
import { STREAMS, type Stream } from '../../lambda/streams.ts';
import { TEST_EVENT } from '../../lib/test-event.ts';
import { exampleLines, withExamples } from './event-examples.ts';
import { jsonSchemaText } from './json-schema.ts';
import { ROOT } from './pages.ts';
import { withList, withTable } from './tables.ts';

/** A generated part of a file of docs/. */
export interface Part {
  readonly file: string;
  /** The text of the file with the part as it should be. */
  write(text: string): string | Promise<string>;
}

export const PARTS: Readonly<Record<string, Part>> = {
  schema: { file: 'connectors.schema.json', write: withSchema },
  options: { file: 'configuration.md', write: text => withList(text, '## Options', optionLines()) },
  cost: {
    file: 'cost.md',
    write: text => withTable(withTable(text, '## The tenants', tenantRows()), '## The bill', costRows()),
  },
  streams: {
    file: 'events.md',
    write: text =>
      text.replace(
        /^- `stream`: .*$/m,
        `- \`stream\`: ${either(STREAMS.map(({ name }) => `\`${name}\``))}; \`${TEST_EVENT.stream}\` for a test event.`,
      ),
  },
  events: { file: 'events.md', write: async text => withExamples(text, await exampleLines()) },
  'event-schema': { file: 'event.schema.json', write: withSchemaStreams },
  permissions: {
    file: 'permissions.md',
    async write(text) {
      const { functionLines } = await import('../stack/iam/function-permissions.ts');
      const { operatorRows } = await import('../operator/cli-reference/operator-permissions.ts');
      return withTable(withList(text, '## The function', await functionLines()), '## Operators', operatorRows());
    },
  },
};

/** The file as it is, and as it should be. */
export async function compared({ file, write }: Part): Promise<{ path: string; before: string; after: string }> {
  const name = path.join(ROOT, 'docs', file);
  const before = readFileSync(name, 'utf8');
  return { path: name, before, after: await write(before) };
}

/** The format is left to Biome, which wraps long lists. */
function withSchema(text: string): string {
  const generated = jsonSchemaText();
  if (JSON.stringify(JSON.parse(generated)) === JSON.stringify(JSON.parse(text))) return text;
  const biome = path.join(ROOT, 'node_modules', '.bin', 'biome');
  const file = '--stdin-file-path=docs/connectors.schema.json';
  return execFileSync(biome, ['format', file], { cwd: ROOT, input: generated, encoding: 'utf8' });
}

interface Option {
  /** Its last sentence is `Left out: …` where there is no default. */
  readonly description?: string;
  readonly default?: unknown;
}

/**
 * The options of `cdk.json`, with the first sentence of their JSON Schema, which editors show
 * whole. Names of pages become links. A list of values behind a colon is left to the page of the
 * link.
 */
function optionLines(): string[] {
  const { properties, required } = JSON.parse(jsonSchemaText()).properties.context.properties.connectors.items;

  return Object.entries<Option>(properties).map(([name, option]) => {
    if (!option.description) throw new Error(`docs/connectors.schema.json has no description of the option ${name}`);
    const [sentences = '', leftOut = ''] = option.description.split(/\.? Left out: |\.$/);
    const [first = ''] = sentences.split(/\. (?=[A-Z])/);
    const [, file = '', anchor = ''] = /\bdocs\/([\w-]+\.md)(#[\w-]+)?/.exec(sentences) ?? [];
    const link = file && ` [More](${file === 'configuration.md' ? '' : file}${anchor})`;
    const meaning = link ? first.split(': ')[0]! : first;

    if (required.includes(name)) return `\`${name}\` (required): ${meaning}.${link}`;
    if (option.default !== undefined) return `\`${name}\` (\`${JSON.stringify(option.default)}\`): ${meaning}.${link}`;
    return `\`${name}\`: ${meaning}. Left out: ${leftOut.split('. ')[0]}.${link}`;
  });
}

/** Which streams have which kinds and members. What the conditions say is written by hand. */
function withSchemaStreams(text: string): string {
  const list = (all: readonly string[]) => JSON.stringify(all).replaceAll(',', ', ');
  const namesOf = (of: (stream: Stream) => boolean) => STREAMS.filter(of).map(({ name }) => name);
  const names = (of: (stream: Stream) => boolean) => list(namesOf(of));
  const withTest = (of: (stream: Stream) => boolean) => list([...namesOf(of), TEST_EVENT.stream]);
  const enums: Readonly<Record<string, string>> = {
    '"stream": {\n      "enum"': withTest(() => true),
    '"const": "upsert" } } },\n      "then": { "required": ["row"], "properties": { "stream": { "enum"': names(
      ({ kind }) => kind === 'upsert',
    ),
    '"const": "upsert" }, "stream": { "enum"': names(({ tombstones }) => tombstones),
    '"const": "tombstone" } } },\n      "then": {\n        "required": ["row"],\n        "properties": {\n          "stream": { "enum"':
      names(({ tombstones }) => tombstones),
    '"const": "withdrawn" } } },\n      "then": { "properties": { "stream": { "enum"': names(
      ({ hasRowStates }) => hasRowStates,
    ),
    '"const": "withdrawn" }, "stream": { "enum"': names(
      ({ hasRowStates, cascadesFrom }) => hasRowStates && cascadesFrom === undefined,
    ),
    '"const": "dns_block" } } },\n      "then": { "required": ["row"], "properties": { "stream": { "enum"': names(
      ({ kind }) => kind === 'dns_block',
    ),
    '"if": { "properties": { "stream": { "enum"': withTest(({ cascadesFrom }) => cascadesFrom === undefined),
  };
  return Object.entries(enums).reduce((schema, [before, list]) => {
    const at = schema.indexOf(before);
    if (at < 0) throw new Error(`docs/event.schema.json has no place ${before}`);
    const start = at + before.length;
    return `${schema.slice(0, start)}: ${list}${schema.slice(schema.indexOf(']', start) + 1)}`;
  }, text);
}

function either(texts: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(texts);
}
