/** The JSON Schema for editors, which is generated from the schema of `cdk.json`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { connectorsSchema } from '../../lib/config/schema.ts';
import { ROOT } from './pages.ts';

/**
 * `$schema` of `cdk.json` points to this file, so that an editor completes and checks the
 * configuration.
 */
export const JSON_SCHEMA_FILE = path.join(ROOT, 'docs', 'connectors.schema.json');

/**
 * JSON Schema of `cdk.json` as far as the connectors go. Rules that hold between members, and those
 * that only code can express, are checked when the app is synthesized. The descriptions are those
 * of the file, where they are written by hand. Everything else is generated.
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
    properties: { context: { type: 'object', properties: { connectors, connectorsFile: { type: 'string' } } } },
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
