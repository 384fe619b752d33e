import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import type { Fault } from '../config/fault.ts';
import { EMITTED, type EmittedClass, type FoundAttribute, findAttribute, type WrongPath } from './attribute-path.ts';
import { type OcsfObject, valueType } from './schema.ts';

/** The option `ocsfFields`: attribute by member of a row, or the same below the name of a stream. */
export type OcsfFieldsOption = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The compiled mapping, so that the function needs no schema. */
export type CompiledFields = Readonly<
  Record<string, { readonly fields: object; readonly rules: readonly ObjectRule[] }>
>;

export interface Compilation {
  readonly compiled: CompiledFields;
  /** Each with its path below the option. */
  readonly faults: readonly Fault[];
}

const NAMES = STREAMS.map(({ name }) => name);
/** Names that every JavaScript object has. They cannot be mapped. */
const UNMAPPABLE = ['__proto__', 'prototype', 'constructor'];

/** Compiles the mapping and names every fault of it. */
export function compileFields(option: OcsfFieldsOption): Compilation {
  const entries = entriesOf(option);
  const parts = NAMES.map(stream => compileStream(stream, entries));
  const held = new Set(parts.flatMap(({ mapped }) => mapped.map(({ at }) => at)));
  const faults = [
    ...shapeFaults(option),
    ...parts.flatMap(part => part.faults),
    ...entries.general.flatMap(entry => generalFaults(entry, held.has(entry.at), parts)),
  ];
  const compiled = parts
    .filter(({ mapped }) => mapped.length > 0)
    .map(({ stream, mapped, rules }) => [
      stream,
      { fields: Object.fromEntries(mapped.map(each => [each.member, fieldOf(each)])), rules },
    ]);
  return { compiled: Object.fromEntries(compiled), faults: distinct(faults) };
}

function entriesOf(option: OcsfFieldsOption): Entries {
  const general: Entry[] = [];
  const special: [stream: string, entry: Entry][] = [];
  for (const [key, value] of Object.entries(option)) {
    if (typeof value === 'string') general.push({ member: key, attribute: value, at: `.${key}` });
    else
      for (const [member, attribute] of Object.entries(value))
        special.push([key, { member, attribute, at: `.${key}.${member}` }]);
  }
  return { general, special };
}

function* shapeFaults(option: OcsfFieldsOption): Generator<Fault> {
  for (const [key, value] of Object.entries(option)) {
    if (typeof value !== 'string' && !NAMES.includes(key as StreamName))
      yield { path: `.${key}`, reason: `must be the name of an attribute, or its key one of ${NAMES.join(', ')}` };
    const members = typeof value === 'string' ? [[key, `.${key}`]] : Object.keys(value).map(m => [m, `.${key}.${m}`]);
    for (const [member, at] of members)
      if (UNMAPPABLE.includes(member!)) yield { path: at!, reason: 'cannot be mapped: it stays in unmapped' };
  }
}

/** Faults of a mapping for all streams: it applies to none, or would overwrite an attribute of the connector. */
function generalFaults({ attribute, at }: Entry, holds: boolean, parts: readonly CompiledStream[]): Fault[] {
  const outcomes = NAMES.map(stream => findAttribute(attribute, EMITTED[stream]));
  const wrong = outcomes.filter((outcome): outcome is WrongPath => 'kind' in outcome);
  const own = wrong.find(({ kind }) => kind === 'own');
  if (own) return [{ path: at, reason: own.reason }];
  if (holds) return [];
  const incomplete = parts.find(part => part.incomplete.has(at));
  if (incomplete) return [{ path: at, reason: incomplete.incomplete.get(at)! }];
  // Report the class in which most of the path exists. An entry for one stream may have taken its place.
  const [meant] = wrong.toSorted((one, other) => other.depth - one.depth || order(one) - order(other));
  if (!meant) return [];
  if (meant.depth > 0 || meant.kind === 'unfit') return [{ path: at, reason: meant.reason }];
  const classes = NAMES.map(stream => `${EMITTED[stream].uid} ${EMITTED[stream].caption}`).join(', ');
  return [{ path: at, reason: `OCSF 1.8.0 has no attribute ${attribute} in ${classes}` }];
}

function order({ kind }: WrongPath): number {
  return kind === 'unfit' ? 0 : 1;
}

function fieldOf({ attribute: to, found: { attribute } }: Mapped) {
  const { type = '', array, enum: names, sibling } = attribute;
  const parent = to.slice(0, to.lastIndexOf('.') + 1);
  return {
    to,
    ...(valueType(type) !== 'string' && { type: valueType(type) }),
    ...(array && { array }),
    ...(names && { enum: names }),
    ...(sibling !== undefined && { sibling: parent + sibling }),
  };
}

function distinct(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map(fault => [`${fault.path} ${fault.reason}`, fault])).values()];
}

/** A member of a row, and the attribute that takes it. */
export interface Entry {
  readonly member: string;
  readonly attribute: string;
  /** Path below the option. */
  readonly at: string;
}

export interface Mapped extends Entry {
  readonly found: FoundAttribute;
}

export interface Entries {
  /** For all streams whose class has the attribute. */
  readonly general: readonly Entry[];
  /** For one stream. */
  readonly special: readonly (readonly [stream: string, entry: Entry])[];
}

export interface CompiledStream {
  readonly stream: StreamName;
  readonly mapped: readonly Mapped[];
  readonly rules: readonly ObjectRule[];
  readonly faults: readonly Fault[];
  /** By path, why an entry for all streams does not apply to this one, although its class has the attribute. */
  readonly incomplete: ReadonlyMap<string, string>;
}

/** The part of the mapping that applies to one stream. */
export function compileStream(stream: StreamName, { general, special }: Entries): CompiledStream {
  const own = special.filter(([name]) => name === stream).map(([, entry]) => entry);
  const others = general.filter(({ member }) => !own.some(each => each.member === member));
  const faults: Fault[] = [];
  const incomplete = new Map<string, string>();
  let mapped = [...own.flatMap(required(stream, faults)), ...others.flatMap(where(stream))];
  for (;;) {
    const { rules, wrong } = rulesOf(mapped, stream);
    for (const { path, reason } of wrong)
      for (const { at } of mapped.filter(each => isWithin(each, path))) incomplete.set(at, reason);
    const complete = mapped.filter(({ at }) => !incomplete.has(at));
    if (complete.length < mapped.length) {
      // Another object may have needed a member that was left out.
      mapped = complete;
      continue;
    }
    faults.push(
      ...own.filter(({ at }) => incomplete.has(at)).map(({ at }) => ({ path: at, reason: incomplete.get(at)! })),
    );
    return { stream, mapped, rules, faults: [...faults, ...repeats(mapped)], incomplete };
  }
}

function isWithin({ attribute }: Entry, path: string): boolean {
  return attribute.startsWith(`${path}.`);
}

/** A mapping for one stream must fit its class. */
function required(stream: StreamName, faults: Fault[]) {
  return (entry: Entry): Mapped[] => {
    const found = findAttribute(entry.attribute, EMITTED[stream]);
    if ('attribute' in found) return [{ ...entry, found }];
    faults.push({ path: entry.at, reason: found.reason });
    return [];
  };
}

/** A mapping for all streams applies where the class has the attribute. */
function where(stream: StreamName) {
  return (entry: Entry): Mapped[] => {
    const found = findAttribute(entry.attribute, EMITTED[stream]);
    return 'attribute' in found ? [{ ...entry, found }] : [];
  };
}

function* repeats(mapped: readonly Mapped[]): Generator<Fault> {
  const first = new Map<string, string>();
  for (const { member, attribute, at } of mapped) {
    const earlier = first.get(attribute);
    if (earlier === undefined) first.set(attribute, member);
    else yield { path: at, reason: `${attribute} is filled by the member ${earlier} already` };
  }
}

function rulesOf(mapped: readonly Mapped[], stream: StreamName) {
  const rules: ObjectRule[] = [];
  const wrong: Fault[] = [];
  const objects = new Map(mapped.flatMap(({ found }) => found.objects.map(({ path, object }) => [path, object])));
  const filled = [...mapped.map(({ attribute }) => attribute), ...EMITTED[stream].own];
  for (const [path, object] of objects) {
    const below = filled.filter(each => each.startsWith(`${path}.`));
    const names = new Set(below.map(each => each.slice(path.length + 1).split('.')[0]!));
    const rule = ruleOf(path, object, [...names], EMITTED[stream]);
    if (typeof rule === 'string') wrong.push({ path, reason: rule });
    else if (Object.keys(rule).length > 1) rules.push(rule);
  }
  return { rules, wrong };
}

/** Members that an object needs to be valid, as far as rows can supply them. The function leaves out an incomplete object. */
export interface ObjectRule {
  readonly path: string;
  /** Required attributes that are 0, Unknown, when nothing else is known. */
  readonly unknown?: readonly string[];
  readonly required?: readonly string[];
  readonly atLeastOne?: readonly string[];
  readonly justOne?: readonly string[];
}

/**
 * @param filled attributes of the object that members fill, or the connector
 * @returns the rule, or the sentence that says which attribute is missing
 */
export function ruleOf(path: string, object: OcsfObject, filled: readonly string[], emitted: EmittedClass) {
  const required = Object.entries(object.attributes).filter(
    ([, { required, profiles, deprecated }]) =>
      required && !deprecated && (!profiles || profiles.some(profile => emitted.profiles.includes(profile))),
  );
  const unknown = required.filter(([, attribute]) => attribute.enum && '0' in attribute.enum).map(([name]) => name);
  const known = required.map(([name]) => name).filter(name => !unknown.includes(name));
  const lacking = known.filter(name => !filled.includes(name));
  if (lacking.length > 0) return `${path} needs ${lacking.map(name => `${path}.${name}`).join(' and ')} too`;
  const { at_least_one: some, just_one: one } = object.constraints ?? {};
  for (const names of [some, one])
    if (names && !names.some(name => filled.includes(name)))
      return `${path} needs ${names.map(name => `${path}.${name}`).join(' or ')} too`;
  const own = (name: string) => emitted.own.includes(`${path}.${name}`);
  return {
    path,
    ...listed('unknown', unknown),
    ...listed('required', known),
    // Attributes of the connector are always present.
    ...(some?.some(own)
      ? {}
      : listed(
          'atLeastOne',
          some?.filter(name => filled.includes(name)),
        )),
    ...listed(
      'justOne',
      one?.filter(name => filled.includes(name)),
    ),
  };
}

function listed(name: keyof ObjectRule, names: readonly string[] | undefined): Partial<ObjectRule> {
  return names && names.length > 0 ? { [name]: names } : {};
}
