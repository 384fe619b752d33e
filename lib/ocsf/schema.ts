/** The part of OCSF 1.8.0 that the connector emits, as data: made by test/ocsf/prune-schema.ts from the published schema. */

import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface OcsfAttribute {
  /** Type of a value. Absent on objects, and on attributes of profiles that the connector does not apply. */
  readonly type?: string;
  /** Name of the object. */
  readonly object?: string;
  readonly array?: true;
  readonly required?: true;
  /** The attribute is there only where one of these profiles is applied. */
  readonly profiles?: readonly string[];
  /** Captions by value. */
  readonly enum?: Readonly<Record<string, string>>;
  /** Attribute beside it that takes the caption. */
  readonly sibling?: string;
  readonly deprecated?: true;
}

export interface OcsfObject {
  /** Of a class. */
  readonly name?: string;
  readonly constraints?: { readonly at_least_one?: readonly string[]; readonly just_one?: readonly string[] };
  readonly attributes: Readonly<Record<string, OcsfAttribute>>;
}

export interface OcsfType {
  readonly base?: string;
  readonly regex?: string;
  readonly max_len?: number;
  readonly range?: readonly [number, number];
}

export interface OcsfSchema {
  readonly version: string;
  readonly source: string;
  readonly sha256: string;
  readonly license: string;
  readonly profiles: readonly string[];
  readonly types: Readonly<Record<string, OcsfType>>;
  /** By `class_uid`. */
  readonly classes: Readonly<Record<string, OcsfObject>>;
  readonly objects: Readonly<Record<string, OcsfObject>>;
}

let loaded: OcsfSchema | undefined;

/** Reads the schema when it is first needed, because most configurations do not use OCSF. */
export function ocsfSchema(): OcsfSchema {
  loaded ??= JSON.parse(readFileSync(path.join(import.meta.dirname, 'schema-1.8.0.json'), 'utf8')) as OcsfSchema;
  return loaded;
}

/** Types whose values the function checks by rules of their own. */
const CHECKED = [
  'integer_t',
  'long_t',
  'float_t',
  'boolean_t',
  'json_t',
  'timestamp_t',
  'datetime_t',
  'ip_t',
  'mac_t',
  'uuid_t',
  'email_t',
  'bytestring_t',
  'subnet_t',
  'port_t',
];

/** The function's name for an OCSF type. A type without rules of its own accepts any string. */
export function valueType(type: string): string {
  if (CHECKED.includes(type)) return type.slice(0, -2);
  const { base = type, regex, max_len, range } = ocsfSchema().types[type]!;
  if (base !== 'string_t' || regex !== undefined || max_len !== undefined || range !== undefined)
    throw new Error(`The OCSF type ${type} has a rule that is not checked`);
  return 'string';
}
