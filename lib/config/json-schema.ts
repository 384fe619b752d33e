/** Writes what is generated from the schema of `cdk.json`: the JSON Schema for editors, and the options in docs/configuration.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { FUNCTION_OPTIONS } from '../../lambda/options.ts';
import { connectorsSchema } from './schema.ts';

const DOCS = path.join(import.meta.dirname, '..', '..', 'docs');

/** `$schema` of `cdk.json` points to this file, so that an editor completes and checks the configuration. */
export const JSON_SCHEMA_FILE = path.join(DOCS, 'connectors.schema.json');

export const CONFIGURATION_PAGE = path.join(DOCS, 'configuration.md');

/**
 * JSON Schema of `cdk.json` as far as the connectors go. Rules that hold between members, and those that only code can express, are checked
 * when the app is synthesized. The descriptions are those of the file, where they are written by hand. Everything else is generated.
 */
export function jsonSchemaText(): string {
  const { $schema, ...connectors } = toJsonSchema(connectorsSchema, {
    typeMode: 'input',
    errorMode: 'ignore',
    ignoreActions: ['check'],
  });
  const schema = {
    $schema,
    title: 'cdk.json of the security data connector',
    type: 'object',
    properties: {
      context: { type: 'object', properties: { connectors, connectorsFile: { type: 'string' } } },
    },
  };
  const file = JSON.parse(readFileSync(JSON_SCHEMA_FILE, 'utf8'));
  return `${JSON.stringify(withDescriptions(schema, file), null, 2)}\n`;
}

/** A part of the schema, with the descriptions of the same part of the file. */
function withDescriptions(part: unknown, inFile: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;

  const written = (inFile ?? {}) as Readonly<Record<string, unknown>>;
  const members = Object.entries(part).map(([key, member]) => [key, withDescriptions(member, written[key])]);
  if (Array.isArray(part)) return members.map(([, member]) => member);
  return { ...Object.fromEntries(members), description: written['description'] };
}

/** The page with its generated parts as they should be. */
export function configurationPage(): string {
  const parts: Readonly<Record<string, () => string>> = { options: optionTable, variables };
  const generated = /(<!-- (\w+): npm run schema -->\n).*?(\n<!-- \/\2 -->)/gs;
  return readFileSync(CONFIGURATION_PAGE, 'utf8').replace(
    generated,
    (_, begin, part, end) => `${begin}${parts[part]!()}${end}`,
  );
}

interface Option {
  /** Its last sentence is `Left out: …` where there is no default. Absent until somebody writes it. */
  readonly description?: string;
  readonly default?: unknown;
}

function optionTable(): string {
  const { properties, required } = JSON.parse(jsonSchemaText()).properties.context.properties.connectors.items;
  const rows = Object.entries<Option>(properties).map(([name, option]) => {
    const { description = '' } = option;
    const [sentences = '', absent] = description.split(/ Left out: |\.$/);
    const leftOut = option.default === undefined ? absent : `\`${JSON.stringify(option.default)}\``;
    return `| \`${name}\` | ${required.includes(name) ? 'required' : leftOut} | ${linked(sentences)} |`;
  });
  return ['| Option | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Variables of the function that hold options. */
function variables(): string {
  const named = Object.entries(FUNCTION_OPTIONS).map(([option, { variable }]) => `\`${variable}\` (\`${option}\`)`);
  return `The other variables hold options: \`HTTPS_PROXY\` (\`proxyUrl\`), ${named.join(', ')}.`;
}

/** A cell of a table. Names of pages become links, and the last sentence loses its full stop. */
function linked(sentences: string): string {
  return sentences
    .replace(/\bdocs\/([\w-]+\.md)((?:#[\w-]+)?)/g, '[$1]($1$2)')
    .replace(/\.$/, '')
    .replaceAll('|', '\\|');
}

if (import.meta.main) {
  writeFileSync(JSON_SCHEMA_FILE, jsonSchemaText());
  writeFileSync(CONFIGURATION_PAGE, configurationPage());
}
