import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import type { Fault } from '../config/fault.ts';
import { type FoundAttribute, findAttribute, type WrongPath } from './attribute-path.ts';
import { EMITTED } from './emitted-class.ts';
import { type ObjectRule, ruleOf } from './object-rules.ts';
import { valueType } from './value-type.ts';

/** The option `ocsfFields`: attribute by member of a row, or the same below the name of a stream. */
export type OcsfFieldsOption = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** What the function gets: it knows no schema. */
export type CompiledFields = Readonly<
  Record<string, { readonly fields: object; readonly rules: readonly ObjectRule[] }>
>;

export interface Compilation {
  readonly compiled: CompiledFields;
  /** Each with its path below the option. */
  readonly faults: readonly Fault[];
}

interface Entry {
  readonly member: string;
  readonly attribute: string;
  /** Path below the option. */
  readonly at: string;
}

interface Mapped extends Entry {
  readonly found: FoundAttribute;
}

const NAMES = STREAMS.map(({ name }) => name);
/** Objects have these by nature: a configuration cannot carry them. */
const UNMAPPABLE = ['__proto__', 'prototype', 'constructor'];

/** Compiles the mapping and names every fault of it. */
export function compileFields(option: OcsfFieldsOption): Compilation {
  const faults = [...shapeFaults(option)];
  const { general, special } = entriesOf(option);
  const perStream = NAMES.map(stream => {
    const own = special.filter(([name]) => name === stream).map(([, entry]) => entry);
    const others = general.filter(({ member }) => !own.some(each => each.member === member));
    const mapped = [...own.flatMap(required(stream, faults)), ...others.flatMap(where(stream))];
    faults.push(...repeats(mapped));
    const { rules, faults: incomplete } = rulesOf(mapped, stream);
    faults.push(...incomplete);
    return [stream, { fields: Object.fromEntries(mapped.map(each => [each.member, fieldOf(each)])), rules }] as const;
  });
  faults.push(...general.flatMap(nowhere));
  const compiled = perStream.filter(([, { fields }]) => Object.keys(fields).length > 0);
  return { compiled: Object.fromEntries(compiled), faults: distinct(faults) };
}

function entriesOf(option: OcsfFieldsOption) {
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

/** A mapping for one stream must fit its class. */
function required(stream: StreamName, faults: Fault[]) {
  return (entry: Entry): Mapped[] => {
    const found = findAttribute(entry.attribute, EMITTED[stream]);
    if ('attribute' in found) return [{ ...entry, found }];
    faults.push({ path: entry.at, reason: found.reason });
    return [];
  };
}

/** A mapping for all streams holds where the class has the attribute. */
function where(stream: StreamName) {
  return (entry: Entry): Mapped[] => {
    const found = findAttribute(entry.attribute, EMITTED[stream]);
    return 'attribute' in found ? [{ ...entry, found }] : [];
  };
}

/** A mapping for all streams that holds in none, or would write over what the connector fills. */
function nowhere({ attribute, at }: Entry): Fault[] {
  const outcomes = NAMES.map(stream => findAttribute(attribute, EMITTED[stream]));
  const wrong = outcomes.filter((outcome): outcome is WrongPath => 'kind' in outcome);
  const own = wrong.find(({ kind }) => kind === 'own');
  if (own) return [{ path: at, reason: own.reason }];
  if (wrong.length < NAMES.length) return [];
  // The class in which the path leads furthest is the one that was meant.
  const [meant] = wrong.toSorted((one, other) => other.depth - one.depth || order(one) - order(other));
  if (meant!.depth > 0 || meant!.kind === 'unfit') return [{ path: at, reason: meant!.reason }];
  const classes = NAMES.map(stream => `${EMITTED[stream].uid} ${EMITTED[stream].caption}`).join(', ');
  return [{ path: at, reason: `OCSF 1.8.0 has no attribute ${attribute} in ${classes}` }];
}

function order({ kind }: WrongPath): number {
  return kind === 'unfit' ? 0 : 1;
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
  const faults: Fault[] = [];
  const objects = new Map(mapped.flatMap(({ found }) => found.objects.map(({ path, object }) => [path, object])));
  for (const [path, object] of objects) {
    const below = [...mapped.map(({ attribute }) => attribute), ...EMITTED[stream].own];
    const filled = below
      .filter(each => each.startsWith(`${path}.`))
      .map(each => each.slice(path.length + 1).split('.')[0]!);
    const rule = ruleOf(path, object, [...new Set(filled)], EMITTED[stream]);
    const { at } = mapped.find(({ attribute }) => attribute.startsWith(`${path}.`))!;
    if (typeof rule === 'string') faults.push({ path: at, reason: rule });
    else if (Object.keys(rule).length > 1) rules.push(rule);
  }
  return { rules, faults };
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
