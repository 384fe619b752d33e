/** Holds event lines against OCSF's own schema. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { eventSchema } from './json-schema.ts';

/** Not strict about types, which an object's conditions do not repeat; nor about Unicode, which OCSF's patterns predate. */
const reading = { strict: false, allErrors: true, unicodeRegExp: false };
/** Compiling a class takes far longer than validating the few events of a test. */
const ajv = new Ajv2020({ ...reading, inlineRefs: false, code: { optimize: false } });
const compiled = new Map<string, ValidateFunction>();

export interface OcsfEvent {
  readonly class_uid: number;
  readonly activity_id: number;
  readonly metadata: {
    readonly uid: string;
    readonly log_name: string;
    readonly profiles?: readonly string[];
    readonly [attribute: string]: unknown;
  };
  readonly unmapped?: Readonly<Record<string, unknown>>;
  readonly raw_data?: string;
  readonly [attribute: string]: unknown;
}

/** What OCSF's schema objects to; an empty list when the line is a valid event. */
export function ocsfFaults(line: string): string[] {
  if (/[\r\n]/.test(line)) return ['a line break inside an event line'];
  const event = JSON.parse(line) as OcsfEvent;
  const profiles = event.metadata?.profiles ?? [];
  const key = `${event.class_uid} ${profiles.join()}`;
  const validate = compiled.get(key) ?? ajv.compile(eventSchema(String(event.class_uid), profiles));
  compiled.set(key, validate);
  if (validate(event)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const { additionalProperty: name } = params;
    return `${instancePath || 'the event'} ${message}${name === undefined ? '' : `: ${name}`}`;
  });
}

/** The event of a line. Throws when it is not valid. */
export function readOcsf(line: string): OcsfEvent {
  const faults = ocsfFaults(line);
  if (faults.length > 0) throw new Error(`Not OCSF: ${faults.join('; ')}: ${line.slice(0, 500)}`);
  return JSON.parse(line) as OcsfEvent;
}
