import type { EmittedClass } from './emitted-class.ts';
import type { OcsfObject } from './schema.ts';

/** What an object must hold to be valid, of what members can bring. The function leaves out an object that does not. */
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
    // What the connector fills is always there.
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
