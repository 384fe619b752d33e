import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
const schema = new URL('../../../docs/event.schema.json', import.meta.url);
const validate = ajv.compile(JSON.parse(readFileSync(schema, 'utf8')));

/** What the schema objects to, by line; an empty list when every line is an event. */
export function schemaFaults(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) =>
    validate(JSON.parse(line)) ? [] : [`line ${index + 1}: ${ajv.errorsText(validate.errors)}`],
  );
}
