import { STREAMS, type StreamName } from '../../lambda/streams.ts';
import type { Fault } from '../config/fault.ts';
import { findAttribute, type WrongPath } from './attribute-path.ts';
import { type CompiledStream, compileStream, type Entries, type Entry, type Mapped } from './compile-stream.ts';
import { EMITTED } from './emitted-class.ts';
import type { ObjectRule } from './object-rules.ts';
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

const NAMES = STREAMS.map(({ name }) => name);
/** Objects have these by nature: a configuration cannot carry them. */
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

/** A mapping for all streams that holds in none, or would write over what the connector fills. */
function generalFaults({ attribute, at }: Entry, holds: boolean, parts: readonly CompiledStream[]): Fault[] {
  const outcomes = NAMES.map(stream => findAttribute(attribute, EMITTED[stream]));
  const wrong = outcomes.filter((outcome): outcome is WrongPath => 'kind' in outcome);
  const own = wrong.find(({ kind }) => kind === 'own');
  if (own) return [{ path: at, reason: own.reason }];
  if (holds) return [];
  const incomplete = parts.find(part => part.incomplete.has(at));
  if (incomplete) return [{ path: at, reason: incomplete.incomplete.get(at)! }];
  // The class in which the path leads furthest is the one that was meant. An entry for one stream may have taken its place.
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
