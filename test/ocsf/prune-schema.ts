/**
 * Makes lib/ocsf/schema-1.8.0.json from an export of the OCSF schema server (`https://schema.ocsf.io/1.8.0/export/v2/schema`,
 * also kept in the package `ocsf-json-schema` on PyPI): the classes that the connector emits and every object that they
 * reach, without the texts.
 *
 *     node test/ocsf/prune-schema.ts path/to/1.8.0.json
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { classesOf } from '../../lambda/core/ocsf/classes.ts';
import { STREAMS } from '../../lambda/streams.ts';
import type { OcsfAttribute, OcsfObject, OcsfSchema } from '../../lib/ocsf/schema.ts';

const CLASSES = [...new Set(STREAMS.flatMap(stream => Object.values(classesOf(stream)).map(({ uid }) => uid)))];
/** Profiles whose attributes are kept whole; of others only the names are, so that a mapping to them can be refused by name. */
const PROFILES = ['security_control'];
const OUT = path.join(import.meta.dirname, '..', '..', 'lib', 'ocsf', 'schema-1.8.0.json');

interface ExportedAttribute {
  readonly type: string;
  readonly object_type?: string;
  readonly is_array?: boolean;
  readonly requirement?: string;
  readonly profiles?: readonly string[] | null;
  readonly enum?: Readonly<Record<string, { readonly caption: string }>>;
  readonly sibling?: string;
  readonly '@deprecated'?: object;
}
interface ExportedObject {
  readonly name: string;
  readonly uid?: number;
  readonly constraints?: Readonly<Record<string, readonly string[]>>;
  readonly attributes: Readonly<Record<string, ExportedAttribute>>;
}
interface Exported {
  readonly version: string;
  readonly classes: Readonly<Record<string, ExportedObject>>;
  readonly objects: Readonly<Record<string, ExportedObject>>;
  readonly dictionary: {
    readonly types: { readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  };
}

function attribute(each: ExportedAttribute): OcsfAttribute {
  const { profiles } = each;
  if (profiles && !profiles.some(profile => PROFILES.includes(profile))) return { profiles };
  return {
    ...(each.object_type === undefined ? { type: each.type } : { object: each.object_type }),
    ...(each.is_array && { array: true }),
    ...(each.requirement === 'required' && { required: true }),
    ...(profiles && { profiles }),
    ...(each.enum && {
      enum: Object.fromEntries(Object.entries(each.enum).map(([value, { caption }]) => [value, caption])),
    }),
    ...(each.sibling !== undefined && { sibling: each.sibling }),
    ...(each['@deprecated'] && { deprecated: true }),
  };
}

function object({ uid, name, constraints, attributes }: ExportedObject): OcsfObject {
  const sorted = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...(uid !== undefined && { name }),
    ...(constraints && { constraints }),
    attributes: Object.fromEntries(sorted.map(([key, each]) => [key, attribute(each)])),
  };
}

function reached(from: readonly OcsfObject[], all: Exported['objects']): Record<string, OcsfObject> {
  const found = new Map<string, OcsfObject>();
  const remedy = [...from];
  for (const each of remedy) {
    for (const { object: name } of Object.values(each.attributes)) {
      if (name === undefined || found.has(name)) continue;
      const next = object(all[name]!);
      found.set(name, next);
      remedy.push(next);
    }
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A line for each class, object and type, so that a difference can be read. */
function text(schema: OcsfSchema): string {
  const group = (name: string, members: object) => {
    const lines = Object.entries(members).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    return `${JSON.stringify(name)}:{\n${lines.join(',\n')}\n}`;
  };
  const { types, classes, objects, ...head } = schema;
  const opened = JSON.stringify(head).slice(0, -1);
  return `${opened},\n${group('types', types)},\n${group('classes', classes)},\n${group('objects', objects)}\n}\n`;
}

const [file = ''] = process.argv.slice(2);
const bytes = readFileSync(file);
const exported = JSON.parse(bytes.toString()) as Exported;
const kept = Object.values(exported.classes).filter(({ uid = 0 }) => CLASSES.includes(uid));
const classes = Object.fromEntries(kept.map(each => [String(each.uid), object(each)]));
const types = Object.entries(exported.dictionary.types.attributes).map(([name, type]) => {
  const { type: base, regex, max_len, range } = type;
  return [name, { base, regex, max_len, range }] as const;
});
const schema: OcsfSchema = {
  version: exported.version,
  source: `https://schema.ocsf.io/${exported.version}/export/v2/schema`,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  license: 'Apache-2.0, © the OCSF project, https://github.com/ocsf/ocsf-schema',
  profiles: PROFILES,
  types: JSON.parse(JSON.stringify(Object.fromEntries(types))),
  classes,
  objects: reached(Object.values(classes), exported.objects),
};
writeFileSync(OUT, text(schema));
console.log(`${Object.keys(schema.objects).length} objects, ${text(schema).length} bytes`);
