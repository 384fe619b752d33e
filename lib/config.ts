import * as v from 'valibot';
import { collisions } from './config/collisions.ts';
import { type ConnectorConfig, connectorSchema } from './config/connector-schema.ts';
import { describeIssue, type Fault } from './config/fault.ts';

const connectorsSchema = v.pipe(
  v.array(connectorSchema, 'must be a list of connectors, or the JSON text of one'),
  v.minLength(1, 'must name one connector at least'),
);

/** The configuration cannot be used. Lists every fault at once, each with the path of its member. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    const lines = faults.map(({ path, reason }) => `  ${path}: ${reason}`);
    super(
      `The context "connectors" has ${faults.length} fault(s); nothing was synthesized.\n${lines.join('\n')}`,
      options,
    );
    this.faults = faults;
  }
}

/**
 * Reads the context `connectors`: a list, or the JSON text of one as `-c connectors=…` gives it.
 *
 * @throws {ConfigurationError} naming every fault.
 */
export function readConnectors(context: unknown): readonly ConnectorConfig[] {
  const list = typeof context === 'string' ? parseText(context) : context;
  const result = v.safeParse(connectorsSchema, list, { abortPipeEarly: true });
  const faults = [...(result.issues ?? []).map(describeIssue), ...collisions(list)];
  if (faults.length > 0 || !result.success) throw new ConfigurationError(faults);
  return result.output;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError([{ path: 'connectors', reason: 'must be valid JSON when given as text' }], { cause });
  }
}
