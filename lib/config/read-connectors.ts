import * as v from 'valibot';
import { ocsfFaults } from '../ocsf/option-faults.ts';
import { collisions } from './collisions.ts';
import { ConfigurationError } from './configuration-error.ts';
import { type ConnectorConfig, connectorSchema } from './connector-schema.ts';
import { contradictions } from './contradictions.ts';
import { schemaFaults } from './fault.ts';

/** The context `connectors` of `cdk.json`. */
export const connectorsSchema = v.pipe(
  v.array(connectorSchema, 'must be a list of connectors, or the JSON text of one'),
  v.minLength(1, 'must name one connector at least'),
);

/**
 * Reads the context `connectors`: a list, or the JSON text of one as `-c connectors=…` gives it.
 *
 * @throws {ConfigurationError} naming every fault.
 */
export function readConnectors(context: unknown): readonly ConnectorConfig[] {
  const list = typeof context === 'string' ? parseText(context) : context;
  const wrong = schemaFaults(connectorsSchema, list, 'connectors');
  const faults = [...wrong, ...contradictions(list), ...collisions(list), ...ocsfFaults(list)];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return v.parse(connectorsSchema, list);
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError([{ path: 'connectors', reason: 'must be valid JSON when given as text' }], { cause });
  }
}
