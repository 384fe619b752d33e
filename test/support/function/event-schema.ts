import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface Event {
  readonly event_id: string;
  readonly sequence: string;
  readonly kind: string;
  readonly stream: string;
  readonly id: string;
  readonly time: string | null;
  readonly stream_position: string | number | null;
  readonly connector: string;
  readonly forwarded_at: string;
  readonly asset_id?: string;
  readonly dead_letter?: string;
  readonly reason?: string;
  readonly refresh?: true;
  readonly row?: Readonly<Record<string, unknown>>;
}

const ajv = new Ajv2020({ strict: true, allErrors: true });
formats.default(ajv);
const schema = new URL('../../../docs/event.schema.json', import.meta.url);
const validate = ajv.compile<Event>(JSON.parse(readFileSync(schema, 'utf8')));

/**
 * The event of a line. Throws when the line is not one line, or does not fit
 * docs/event.schema.json.
 */
export function readEvent(line: string): Event {
  if (/[\r\n]/.test(line)) throw new Error('A line break inside an event line');
  const event: unknown = JSON.parse(line);
  if (!validate(event)) throw new Error(`Not an event: ${ajv.errorsText(validate.errors)}: ${line.slice(0, 500)}`);
  return event;
}

/** The violations of the schema, by line. The list is empty when every line is an event. */
export function schemaViolations(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) =>
    validate(JSON.parse(line)) ? [] : [`line ${index + 1}: ${ajv.errorsText(validate.errors)}`],
  );
}
