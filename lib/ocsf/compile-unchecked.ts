import { type Fault, schemaFaults } from '../config/fault.ts';
import { type Compilation, compileFields, type OcsfFieldsOption } from './compile-fields.ts';
import { ocsfFaultsWithin } from './option-faults.ts';
import { ocsfFieldsSchema } from './option-schema.ts';

/**
 * Compiles a mapping of which nothing is known yet. Its faults are those that the configuration would tell, with the same paths below
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
