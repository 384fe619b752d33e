import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { connectorsSchema } from './read-connectors.ts';

/** What `$schema` of `cdk.json` points to, so that an editor completes and checks the configuration. */
export const JSON_SCHEMA_FILE = path.join(import.meta.dirname, '..', '..', 'docs', 'connectors.schema.json');

const CONNECTORS_FILE = {
  type: 'string',
  description:
    'JSON file with the list of connectors, relative to the folder of cdk.json. Not together with connectors.',
};

/**
 * JSON Schema of `cdk.json` as far as the connectors go. Rules that hold between members, and those that only code can say, are checked
 * when the app is synthesized.
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
    properties: { context: { type: 'object', properties: { connectors, connectorsFile: CONNECTORS_FILE } } },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

// Run by itself, this file writes the schema anew.
if (import.meta.main) writeFileSync(JSON_SCHEMA_FILE, jsonSchemaText());
