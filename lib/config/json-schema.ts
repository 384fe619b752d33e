/** Writes what is generated from the options: the JSON Schema for editors, and the tables of docs/configuration.md and docs/construct.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { VARIABLES } from '../../lambda/settings.ts';
import { CONNECTOR_OPTIONS, STACK_OPTIONS, VPC_OPTIONS } from '../connector-options.ts';
import { DESTINATIONS } from '../delivery/destinations.ts';
import { SIEM_READERS } from '../siem/readers.ts';
import { FORMS, type Option, type OptionGroup } from './option.ts';
import { connectorsSchema } from './read-connectors.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** `$schema` of `cdk.json` points to this file, so that an editor completes and checks the configuration. */
export const JSON_SCHEMA_FILE = path.join(ROOT, 'docs', 'connectors.schema.json');

export const CONFIGURATION_PAGE = path.join(ROOT, 'docs', 'configuration.md');

export const CONSTRUCT_PAGE = path.join(ROOT, 'docs', 'construct.md');

const OPTIONS_TEXT = sourceText('lib/connector-options.ts');
const SETTINGS_TEXT = sourceText('lambda/settings.ts');
const CONNECTOR_TEXT = interfaceText('SecurityDataConnectorProps');

function sourceText(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** The members of a published interface with their doc comments. */
function interfaceText(name: string): string {
  const [, after] = sourceText('lib/connector-props.ts').split(`\nexport interface ${name} {\n`);
  if (after === undefined) throw new Error(`There is no interface ${name}`);
  return after.split('\n}\n')[0]!;
}

function capitalized(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

/** A part of the page that is generated, between comments. */
const GENERATED = /(<!-- (\w+): npm run schema -->\n)[\s\S]*?(\n<!-- \/\2 -->)/g;

const CONNECTORS_FILE = {
  type: 'string',
  description:
    'JSON file with the list of connectors, relative to the folder of cdk.json. Not together with connectors.',
};

interface ObjectSchema {
  readonly properties: Record<string, { description?: string; readonly oneOf?: ObjectSchema[] }>;
}

/**
 * JSON Schema of `cdk.json` as far as the connectors go. Rules that hold between members, and those that only code can express, are checked
 * when the app is synthesized.
 */
export function jsonSchemaText(): string {
  const { $schema, ...connectors } = toJsonSchema(connectorsSchema, {
    typeMode: 'input',
    errorMode: 'ignore',
    ignoreActions: ['check'],
  });
  const { properties } = connectors.items as ObjectSchema;
  describe({ properties }, CONNECTOR_OPTIONS, CONNECTOR_TEXT);
  describe({ properties }, STACK_OPTIONS, OPTIONS_TEXT);
  describe(properties['vpc'] as ObjectSchema, VPC_OPTIONS, OPTIONS_TEXT);
  Object.entries(DESTINATIONS).forEach(([type, group], index) => {
    describe(properties['destination']!.oneOf![index]!, group, interfaceText(`${capitalized(type)}Destination`));
  });
  Object.entries(SIEM_READERS).forEach(([type, group], index) => {
    const name = `${type.split('-').map(capitalized).join('')}Reader`;
    describe(properties['siemReader']!.oneOf![index]!, group, interfaceText(name));
  });
  const schema = {
    $schema,
    title: 'cdk.json of the security data connector',
    type: 'object',
    properties: { context: { type: 'object', properties: { connectors, connectorsFile: CONNECTORS_FILE } } },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function describe({ properties }: ObjectSchema, { required, optional }: OptionGroup, source: string): void {
  for (const [key, option] of Object.entries<Option>({ ...required, ...optional })) {
    const { sentence, absent } = textOf(key, source);
    const leftOut = absent === undefined || key in required ? '' : ` Left out: ${absent}.`;
    properties[option.name ?? key]!.description = sentence + leftOut;
  }
}

/** A page with its tables as they should be. */
export function generatedPage(file: string): string {
  const tables: Readonly<Record<string, () => string>> = {
    options: optionTable,
    variables: variableTable,
    props: propTable,
  };
  return readFileSync(file, 'utf8').replace(GENERATED, (_, begin, name, end) => `${begin}${tables[name]!()}${end}`);
}

function optionTable(): string {
  const rows = Object.entries<Option>({ ...CONNECTOR_OPTIONS.required, ...CONNECTOR_OPTIONS.optional });
  const ofStack = Object.entries<Option>(STACK_OPTIONS.optional);
  return [
    '| Option | Default | Meaning |',
    '| --- | --- | --- |',
    ...rows.map(([key, option]) => row(key, option, CONNECTOR_TEXT)),
    ...ofStack.map(([key, option]) => row(key, option, OPTIONS_TEXT)),
  ].join('\n');
}

/** Variables of the function. Those of options are only named, because the table of options has the rest. */
function variableTable(): string {
  const optionOf = new Map(
    Object.entries<Option>(CONNECTOR_OPTIONS.optional).map(([key, { name = key, variable }]) => [variable, name]),
  );
  const rows = VARIABLES.filter(variable => !optionOf.has(variable)).map(variable => {
    const { sentence, absent = 'required' } = textOf(variable, SETTINGS_TEXT);
    return line(variable, absent, sentence);
  });
  const named = VARIABLES.filter(variable => optionOf.has(variable)).map(
    variable => `\`${variable}\` (\`${optionOf.get(variable)}\`)`,
  );
  const table = ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return `${table}\n\nThe other variables hold options: ${named.join(', ')}.`;
}

/** Props of the construct that differ from their option in name or type. */
function propTable(): string {
  const options = Object.entries<Option>({ ...CONNECTOR_OPTIONS.required, ...CONNECTOR_OPTIONS.optional });
  const differing = options.filter(([, { form, name }]) => form !== undefined || name !== undefined);
  const rows = differing.map(([key, option]) => {
    const { absent, byDefault } = textOf(key, CONNECTOR_TEXT);
    const left = byDefault === undefined ? 'required' : (absent ?? `\`${byDefault}\``);
    const type = option.form ? FORMS[option.form].type : plainType(option.schema);
    return `| \`${key}\` | \`${type}\` | \`${option.name ?? key}\` | ${left} |`;
  });
  return ['| Prop | Type | Option | Default |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function plainType({ type }: Option['schema']): string {
  return type === 'picklist' ? 'string' : type === 'record' || type === 'strict_object' ? 'object' : type;
}

function row(key: string, option: Option, source: string): string {
  const { sentence, absent, byDefault } = textOf(key, source);
  const value = option.default === undefined ? absent : `\`${JSON.stringify(option.default)}\``;
  return line(option.name ?? key, byDefault === undefined ? 'required' : value, sentence);
}

function line(name: string, byDefault: string | undefined, sentence: string): string {
  const linked = sentence
    .replace(/\bdocs\/([\w-]+\.md)((?:#[\w-]+)?)/g, '[$1]($1$2)')
    .replace(/\.$/, '')
    .replaceAll('|', '\\|');
  return `| \`${name}\` | ${byDefault} | ${linked} |`;
}

/** The doc comment of a member: its sentences, and what `@default` says about leaving it out. */
function textOf(key: string, source: string) {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s+(?:readonly )?${key}\\??: `).exec(source)?.[1];
  if (comment === undefined) throw new Error(`${key} has no doc comment`);
  const [described = '', byDefault] = comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
    .split(' @default ');
  return {
    sentence: described.trim(),
    absent: byDefault?.startsWith('- ') ? byDefault.slice(2) : undefined,
    byDefault,
  };
}

if (import.meta.main) {
  writeFileSync(JSON_SCHEMA_FILE, jsonSchemaText());
  for (const file of [CONFIGURATION_PAGE, CONSTRUCT_PAGE]) writeFileSync(file, generatedPage(file));
}
