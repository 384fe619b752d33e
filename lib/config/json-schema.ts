/** Writes what is generated from the options: the JSON Schema for editors, and the tables of docs/configuration.md and docs/construct.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { VARIABLES } from '../../lambda/settings.ts';
import { CONNECTOR_OPTIONS, STACK_OPTIONS, VPC_OPTIONS } from '../connector-options.ts';
import { DESTINATIONS } from '../delivery/destinations.ts';
import { SIEM_READERS } from '../siem/readers.ts';
import type { Forms, Option, OptionGroup } from './option.ts';
import { connectorsSchema } from './read-connectors.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** What `$schema` of `cdk.json` points to, so that an editor completes and checks the configuration. */
export const JSON_SCHEMA_FILE = path.join(ROOT, 'docs', 'connectors.schema.json');

export const CONFIGURATION_PAGE = path.join(ROOT, 'docs', 'configuration.md');

export const CONSTRUCT_PAGE = path.join(ROOT, 'docs', 'construct.md');

/** Files whose doc comments describe the options of a connector. */
const OPTION_FILES = ['lib/connector-options.ts', 'lambda/options.ts'];
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
  describe({ properties }, CONNECTOR_OPTIONS, OPTION_FILES);
  describe({ properties }, STACK_OPTIONS, ['lib/connector-options.ts']);
  describe(properties['vpc'] as ObjectSchema, VPC_OPTIONS, ['lib/connector-options.ts']);
  Object.entries(DESTINATIONS).forEach(([type, group], index) => {
    describe(properties['destination']!.oneOf![index]!, group, [
      `lib/delivery/${type}.ts`,
      'lib/delivery/destination.ts',
    ]);
  });
  Object.values(SIEM_READERS).forEach((group, index) => {
    describe(properties['siemReader']!.oneOf![index]!, group, ['lib/siem/readers.ts']);
  });
  const schema = {
    $schema,
    title: 'cdk.json of the security data connector',
    type: 'object',
    properties: { context: { type: 'object', properties: { connectors, connectorsFile: CONNECTORS_FILE } } },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function describe({ properties }: ObjectSchema, { required, optional }: OptionGroup, files: readonly string[]): void {
  for (const [key, option] of Object.entries<Option>({ ...required, ...optional })) {
    const { sentence, absent } = textOf(key, option, files);
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
  const required = Object.entries<Option>(CONNECTOR_OPTIONS.required).map(([key, option]) =>
    row(key, option, 'required'),
  );
  const all = { ...CONNECTOR_OPTIONS.optional, ...STACK_OPTIONS.optional };
  const optional = Object.entries<Option>(all).map(([key, option]) => row(key, option));
  return ['| Option | Default | Meaning |', '| --- | --- | --- |', ...required, ...optional].join('\n');
}

function variableTable(): string {
  const options = new Map(
    Object.entries<Option>(CONNECTOR_OPTIONS.optional).flatMap(([key, option]) =>
      option.variable === undefined ? [] : [[option.variable, [key, option] as const]],
    ),
  );
  const rows = VARIABLES.map(variable => {
    const [key, option] = options.get(variable) ?? [variable, undefined];
    const { sentence, absent = 'required' } = textOf(key, option ?? {}, ['lambda/settings.ts', ...OPTION_FILES]);
    return line(variable, option?.default === undefined ? absent : `\`${option.default}\``, sentence);
  });
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Types of props that are no plain values. */
const PROP_TYPES: Readonly<Record<keyof Forms, string>> = {
  seconds: 'Duration',
  minutes: 'Duration',
  days: 'Duration',
  removalPolicy: 'RemovalPolicy',
  logRetention: 'RetentionDays',
  secret: 'ISecret',
  bucket: 'IBucket',
  key: 'IKey',
  topic: 'ITopic',
  managedPolicy: 'IManagedPolicy',
  deliveryStream: 'IDeliveryStreamRef',
  network: 'Network',
  destination: 'Destination',
  siemReader: 'SiemReader',
};

/** Props of the construct. Their meaning is that of the option. */
function propTable(): string {
  const rows = Object.entries<Option>({ ...CONNECTOR_OPTIONS.required, ...CONNECTOR_OPTIONS.optional }).map(
    ([key, option]) => {
      const { absent, byDefault = absent ?? '' } = textOf(key, option, OPTION_FILES);
      const isRequired = key in CONNECTOR_OPTIONS.required;
      const left = isRequired ? 'required' : absent === undefined ? `\`${byDefault}\`` : absent;
      return `| \`${key}\` | \`${option.form ? PROP_TYPES[option.form] : plainType(option.schema)}\` | \`${option.name ?? key}\` | ${left} |`;
    },
  );
  return ['| Prop | Type | Option | Default |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function plainType({ type }: Option['schema']): string {
  return type === 'picklist' ? 'string' : type === 'record' || type === 'strict_object' ? 'object' : type;
}

function row(key: string, option: Option, fixed?: string): string {
  const { sentence, absent } = textOf(key, option, OPTION_FILES);
  const byDefault = option.default === undefined ? absent : `\`${JSON.stringify(option.default)}\``;
  return line(option.name ?? key, fixed ?? byDefault, sentence);
}

function line(name: string, byDefault: string | undefined, sentence: string): string {
  const linked = sentence
    .replace(/\bdocs\/([\w-]+\.md)((?:#[\w-]+)?)/g, '[$1]($1$2)')
    .replace(/\.$/, '')
    .replaceAll('|', '\\|');
  return `| \`${name}\` | ${byDefault} | ${linked} |`;
}

/** The doc comment of an option: its sentences, and what `@default -` says about leaving it out. */
function textOf(key: string, { sentence, absent }: Pick<Option, 'sentence' | 'absent'>, files: readonly string[]) {
  if (sentence !== undefined) return { sentence, absent, byDefault: undefined };
  const texts = files.map(file => readFileSync(path.join(ROOT, file), 'utf8'));
  const pattern = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s+${key}: `);
  const comment = texts.map(text => pattern.exec(text)?.[1]).find(Boolean);
  if (comment === undefined) throw new Error(`The option ${key} has no doc comment`);
  const [described = '', left] = comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
    .split(' @default ');
  return { sentence: described.trim(), absent: left?.startsWith('- ') ? left.slice(2) : undefined, byDefault: left };
}

if (import.meta.main) {
  writeFileSync(JSON_SCHEMA_FILE, jsonSchemaText());
  for (const file of [CONFIGURATION_PAGE, CONSTRUCT_PAGE]) writeFileSync(file, generatedPage(file));
}
