import * as v from 'valibot';
import { STREAMS_WITHOUT_PATH } from '../../lambda/streams.ts';
import type { Fault } from '../config/fault.ts';
import { schemaFaults } from '../config/schema-faults.ts';
import { type Compilation, type CompiledFields, compileFields, type OcsfFieldsOption } from './compile-fields.ts';

/** Lambda's limit for names and values of all variables together, in bytes. */
const ENVIRONMENT_BYTES = 4096;
/** Reserved for the names of all variables, and for values that are known only at deployment: ARNs and names of resources. */
const RESERVED_BYTES = 1024;
/** Options that become variables as they are. */
const GIVEN = [
  'name',
  'baseUrl',
  'authUrl',
  ...STREAMS_WITHOUT_PATH.map(({ pathOption }) => pathOption),
  'threatAssetField',
  'rowsMember',
  'paginationMember',
  'proxyUrl',
];

type Entry = Readonly<Record<string, unknown>>;

/** Faults of the mapping to OCSF in each entry, independent of its other faults. */
export function ocsfFaults(list: unknown): Fault[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null ? ocsfFaultsWithin(entry, `connectors[${index}]`) : [],
  );
}

export function ocsfFaultsWithin(entry: Entry, root: string): Fault[] {
  const { format, ocsfFields: option } = entry;
  const path = `${root}.ocsfFields`;
  // The schema would accept a list as an object with the members 0, 1, …
  if (Array.isArray(option)) return [{ path, reason: 'must be an object, not a list' }];
  if (!isObject(option)) return [];
  if (format !== 'ocsf') return [{ path, reason: 'has no effect unless format is "ocsf"' }];
  const { compiled, faults } = compileFields(mappingOf(option));
  const all = [...listsWithin(option), ...faults].map(fault => ({ path: path + fault.path, reason: fault.reason }));
  return all.length > 0 ? all : sizeFaults(compiled, entry, path);
}

function listsWithin(option: object): Fault[] {
  const lists = Object.entries(option).filter(([, value]) => Array.isArray(value));
  return lists.map(([key]) => ({ path: `.${key}`, reason: 'must be the name of an attribute, not a list' }));
}

/** The part that has the shape of a mapping. The schema reports the rest. */
function mappingOf(option: object): OcsfFieldsOption {
  const shaped = Object.entries(option).flatMap(([key, value]): [string, OcsfFieldsOption[string]][] => {
    if (isText(value)) return [[key, value]];
    if (!isObject(value)) return [];
    return [[key, Object.fromEntries(Object.entries(value).filter(([, attribute]) => isText(attribute)))]];
  });
  return Object.fromEntries(shaped);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sizeFaults(compiled: CompiledFields, entry: Entry, path: string): Fault[] {
  const bytes = Buffer.byteLength(JSON.stringify(compiled));
  const room = ENVIRONMENT_BYTES - RESERVED_BYTES - givenBytes(entry);
  const reason = `is too large: it takes ${bytes} bytes of the function’s environment, which has room for ${room}. Map fewer members`;
  return bytes > room ? [{ path, reason }] : [];
}

function givenBytes(entry: Entry): number {
  const selection = ['filters', 'omit', 'noProxy'].map(name => entry[name] && JSON.stringify(entry[name]));
  const values = [...GIVEN.map(name => entry[name]), ...selection].filter(value => typeof value === 'string');
  return values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
}

const attribute = v.pipe(
  v.string('must be the name of an attribute, such as device.hostname'),
  v.minLength(1, 'must not be empty'),
);

/** Shape of the option `ocsfFields`. `compileFields` checks the attributes. */
export const ocsfFieldsSchema = v.record(
  v.string(),
  v.union(
    [attribute, v.record(v.string(), attribute)],
    'must be the name of an attribute, such as device.hostname, or an object of such below the name of a stream',
  ),
);

/**
 * Compiles a mapping that has not been checked. Its faults are those that the configuration would report, with the same paths below
 * the connector's entry: `ocsfFields.threats.title`.
 *
 * @param entry the other options of the connector
 */
export function compileUnchecked(option: unknown, entry: Readonly<Record<string, unknown>>): Compilation {
  const faults = [
    ...schemaFaults(ocsfFieldsSchema, option, '.ocsfFields'),
    ...ocsfFaultsWithin({ ...entry, format: 'ocsf', ocsfFields: option }, ''),
  ];
  if (faults.length > 0) return { compiled: {}, faults: faults.map(withoutDot) };
  return compileFields(option as OcsfFieldsOption);
}

function withoutDot({ path, reason }: Fault): Fault {
  return { path: path.slice(1), reason };
}
