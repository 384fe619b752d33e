/** JSON Schema of the events of a class, made from OCSF's own schema: nothing is allowed that it does not name. */
import { type OcsfAttribute, type OcsfObject, ocsfSchema } from '../../lib/ocsf/schema.ts';

type Json = Record<string, unknown>;

/** @param profiles that the event says to apply */
export function eventSchema(classUid: string, profiles: readonly string[]): Json {
  const { classes, objects } = ocsfSchema();
  const defs = Object.entries(objects).map(([name, object]) => [name, objectSchema(name, object, profiles)]);
  const ocsfClass = classes[classUid];
  if (!ocsfClass) throw new Error(`The kept part of the schema has no class ${classUid}`);
  const activities = Object.keys(ocsfClass.attributes['activity_id']!.enum!).map(Number);
  const event = objectSchema(classUid, ocsfClass, profiles);
  const types = activities.map(activity => ({
    properties: { activity_id: { const: activity }, type_uid: { const: Number(classUid) * 100 + activity } },
  }));
  return { ...event, allOf: [...(event['allOf'] as Json[]), { anyOf: types }], $defs: Object.fromEntries(defs) };
}

function objectSchema(name: string, { attributes, constraints }: OcsfObject, profiles: readonly string[]): Json {
  // The type of `unmapped`: any members.
  if (name === 'object') return { type: 'object' };
  const allowed = Object.entries(attributes).filter(
    ([, each]) => !each.deprecated && (!each.profiles || each.profiles.some(profile => profiles.includes(profile))),
  );
  const { at_least_one: some, just_one: one } = constraints ?? {};
  const has = (attribute: string) => ({ required: [attribute] });
  return {
    type: 'object',
    properties: Object.fromEntries(allowed.map(([key, each]) => [key, attributeSchema(each)])),
    required: allowed.filter(([, each]) => each.required).map(([key]) => key),
    additionalProperties: false,
    allOf: [
      {},
      ...(some ? [{ anyOf: some.map(has) }] : []),
      ...(one ? [{ oneOf: one.map(has) }] : []),
      ...allowed.flatMap(([key, each]) => captionsOf(key, each)),
    ],
  };
}

/** A caption beside a value is the value's own; that of 99, Other, is the source's. */
function captionsOf(key: string, { enum: names, sibling, array }: OcsfAttribute): Json[] {
  if (!names || sibling === undefined || array) return [];
  const pairs = Object.entries(names).filter(([value]) => value !== '99');
  const consistent = pairs.map(([value, caption]) => ({
    properties: { [key]: { const: Number(value) }, [sibling]: { const: caption } },
  }));
  const other = { properties: { [key]: { const: 99 }, [sibling]: { not: { const: 'Other' } } } };
  const onlyOne = { not: { required: [key, sibling] } };
  return [{ anyOf: [onlyOne, ...consistent, other] }];
}

function attributeSchema(attribute: OcsfAttribute): Json {
  const one =
    attribute.object === undefined
      ? valueSchema(attribute)
      : { $ref: `#/$defs/${attribute.object.replace('/', '~1')}` };
  return attribute.array ? { type: 'array', items: one } : one;
}

const BASES: Readonly<Record<string, Json>> = {
  string_t: { type: 'string' },
  integer_t: { type: 'integer' },
  long_t: { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 },
  float_t: { type: 'number' },
  boolean_t: { type: 'boolean' },
  json_t: {},
};

function valueSchema({ type = '', enum: names }: OcsfAttribute): Json {
  const { base = type, regex, max_len, range } = ocsfSchema().types[type]!;
  const root = BASES[base] ?? BASES[ocsfSchema().types[base]?.base ?? ''];
  if (!root) throw new Error(`No JSON type for ${type}`);
  return {
    ...root,
    ...(regex !== undefined && { pattern: regex }),
    ...(max_len !== undefined && { maxLength: max_len }),
    ...(range && { minimum: range[0], maximum: range[1] }),
    ...(names && { enum: Object.keys(names).map(value => (base === 'string_t' ? value : Number(value))) }),
  };
}
