import type { Fault } from '../config/fault.ts';
import { type CompiledFields, compileFields, type OcsfFieldsOption } from './compile-fields.ts';

/** Lambda takes no more for names and values of all variables together, in bytes. */
const ENVIRONMENT_BYTES = 4096;
/** Names of all variables, and values that are known only at deployment: ARNs and names of resources. */
const RESERVED_BYTES = 1024;
/** Options that become variables as they are. */
const GIVEN = [
  'name',
  'baseUrl',
  'authUrl',
  'dnsBlocksPath',
  'threatAssetField',
  'rowsMember',
  'paginationMember',
] as const;

type Entry = Readonly<Record<string, unknown>>;

/** What is wrong with the mapping to OCSF in each entry, whatever else is. */
export function ocsfFaults(list: unknown): Fault[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null ? ocsfFaultsWithin(entry, `connectors[${index}]`) : [],
  );
}

export function ocsfFaultsWithin(entry: Entry, root: string): Fault[] {
  const { format, ocsfFields: option } = entry;
  const path = `${root}.ocsfFields`;
  // The schema takes a list for an object with the members 0, 1, …
  if (Array.isArray(option)) return [{ path, reason: 'must be an object, not a list' }];
  if (!isObject(option)) return [];
  if (format !== 'ocsf') return [{ path, reason: 'has no effect unless format is "ocsf"' }];
  const { compiled, faults } = compileFields(mappingOf(option));
  const told = [...listsWithin(option), ...faults].map(fault => ({ path: path + fault.path, reason: fault.reason }));
  return told.length > 0 ? told : sizeFaults(compiled, entry, path);
}

function listsWithin(option: object): Fault[] {
  const lists = Object.entries(option).filter(([, value]) => Array.isArray(value));
  return lists.map(([key]) => ({ path: `.${key}`, reason: 'must be the name of an attribute, not a list' }));
}

/** What is shaped as a mapping; what else is there is told by the schema. */
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
  const values = GIVEN.map(name => entry[name]).filter(value => typeof value === 'string');
  return values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
}
