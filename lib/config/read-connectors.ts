import { readFileSync } from 'node:fs';
import path from 'node:path';
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

/** Where the context of the app has the connectors: a list or its JSON text, or the path of a JSON file. */
export interface ConnectorsContext {
  readonly connectors?: unknown;
  readonly connectorsFile?: unknown;
}

/**
 * Reads the configuration from the context of the app.
 *
 * @param folder that `connectorsFile` is relative to: the folder of cdk.json
 * @throws {ConfigurationError} naming every fault.
 */
export function connectorsIn(context: ConnectorsContext, folder: string): readonly ConnectorConfig[] {
  const { connectors, connectorsFile } = context;
  if (connectorsFile === undefined) return readConnectors(connectors);
  if (connectors !== undefined && !isExample(connectors)) {
    const reason = 'cannot be used together with connectors: remove "connectors" from cdk.json, or give one of the two';
    throw fileError(reason);
  }
  return readConnectors(readList(connectorsFile, folder));
}

/**
 * Reads a list of connectors, or the JSON text of one as `-c connectors=…` gives it.
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

/** The list that comes with cdk.json. No real API can have an address in the reserved domain `.example`. */
function isExample(connectors: unknown): boolean {
  const address = Array.isArray(connectors) && connectors.length === 1 ? connectors[0]?.baseUrl : undefined;
  return typeof address === 'string' && URL.canParse(address) && new URL(address).hostname.endsWith('.example');
}

function readList(file: unknown, folder: string): unknown {
  if (typeof file !== 'string' || file === '') throw fileError('must be the path of a JSON file with the list');
  let text: string;
  try {
    text = readFileSync(path.resolve(folder, file), 'utf8');
  } catch (cause) {
    throw fileError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}): check the path`, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fileError(`${file} is not valid JSON: ${(cause as Error).message}`, cause);
  }
}

function fileError(reason: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError([{ path: 'connectorsFile', reason }], { cause });
}

const CUT =
  'ends before its JSON does. The CDK takes only the first line of a value of -c. ' +
  'Keep the list in a file instead: -c connectorsFile=connectors.json';

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = isCut(text) ? CUT : 'must be valid JSON when given as text';
    throw new ConfigurationError([{ path: 'connectors', reason }], { cause });
  }
}

/** Whether more is opened than closed, as in the first line of a list that was formatted. */
function isCut(text: string): boolean {
  const outside = text.replace(/"(\\.|[^"\\])*"/g, '');
  const count = (pattern: RegExp) => outside.match(pattern)?.length ?? 0;
  return text.trim() === '' || outside.includes('"') || count(/[[{]/g) > count(/[\]}]/g);
}
