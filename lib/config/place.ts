/** Rules for the account and region of existing resources. This file does not import the CDK, because connectorctl reads configurations too. */
import { DESTINATIONS } from '../delivery/destinations.ts';
import type { Fault } from './fault.ts';
import type { Option, OptionGroup, Place } from './option.ts';

type Values = Readonly<Record<string, unknown>>;

/** Values of a group of options: an entry of `cdk.json`, or props. */
export interface Given {
  readonly group: OptionGroup;
  readonly values: Values;
  readonly path: string;
  /** Name of an option among the values. */
  readonly nameOf: (key: string, option: Option) => string;
  /** Place of the resource that an option names. */
  readonly placeOf: (resource: unknown, option: Option) => Place;
}

/** A fault for each resource that is in another place than the stack. */
export function misplaced({ group, values, path, ...how }: Given, stack: Place): Fault[] {
  return Object.entries<Option>({ ...group.required, ...group.optional }).flatMap(([key, option]) => {
    const name = how.nameOf(key, option);
    const value = values[name];
    const at = `${path}.${name}`;
    if (option.form === 'destination') return misplaced({ ...destinationIn(value), ...how, path: at }, stack);
    if (!option.place || value === undefined || value === null) return [];

    const theirs = how.placeOf(value, option);
    const differing = option.place.same(value).filter(part => differs(theirs[part], stack[part]));
    if (differing.length === 0) return [];
    const text = (of: Place) => differing.map(part => `${part} ${of[part]}`).join(' and ');
    const { because, instead } = option.place;
    const reason = `is in ${text(theirs)}, but the stack in ${text(stack)}: ${because}. ${instead}, or deploy the connector to ${text(theirs)}`;
    return [{ path: at, reason }];
  });
}

/** Nothing can be compared with a part that is known only at deployment. */
function differs(theirs: string | undefined, ours: string | undefined): boolean {
  return theirs !== undefined && ours !== undefined && theirs !== ours;
}

/** Empty for an unknown destination, which is a fault of its own. */
function destinationIn(value: unknown): Pick<Given, 'group' | 'values'> {
  const { type } = (value ?? {}) as { readonly type?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(DESTINATIONS, type))
    return { group: { required: {}, optional: {} }, values: {} };
  return { group: DESTINATIONS[type as keyof typeof DESTINATIONS], values: value as Values };
}

/** For example account and region of `arn:aws:sns:eu-west-1:111122223333:topic`. */
export function placeInArn(arn: unknown): Place {
  const [, , , region, account] = typeof arn === 'string' ? arn.split(':') : [];
  return { account: account || undefined, region: region || undefined };
}

/** Faults of each entry of `cdk.json`, independent of its other faults. */
export function misplacedInList(list: unknown, group: OptionGroup): Fault[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) => {
    const values = (entry ?? {}) as Values;
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    const stack = { account: text(values['account']), region: text(values['region']) };
    const path = `connectors[${index}]`;
    return misplaced({ group, values, path, nameOf: (key, { name = key }) => name, placeOf: placeInArn }, stack);
  });
}
