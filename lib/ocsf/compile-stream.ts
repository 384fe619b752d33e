import type { StreamName } from '../../lambda/streams.ts';
import type { Fault } from '../config/fault.ts';
import { type FoundAttribute, findAttribute } from './attribute-path.ts';
import { EMITTED } from './emitted-class.ts';
import { type ObjectRule, ruleOf } from './object-rules.ts';

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
  /** Why an entry for all streams does not hold in this one, although the class has the attribute; by its path. */
  readonly incomplete: ReadonlyMap<string, string>;
}

/** What of the mapping holds for one stream. */
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
      // What was left out may have been what another object needed.
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

/** A mapping for all streams holds where the class has the attribute. */
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
