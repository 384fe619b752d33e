import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { CONNECTOR_OPTIONS, type ConnectorConfig, connectorSchema } from '../connector-options.ts';
import { certificatesFaults } from './certificates.ts';
import { contradictions } from './contradictions.ts';
import { ConfigurationError, type Fault } from './fault.ts';
import { misplacedInList } from './place.ts';
import { schemaFaults } from './schema-faults.ts';

/** The context `connectors` of `cdk.json`. */
export const connectorsSchema = v.pipe(
  v.array(connectorSchema, 'must be a list of connectors, or the JSON text of one'),
  v.minLength(1, 'must name one connector at least'),
);

/** The context keys of the connectors: a list or its JSON text, or the path of a JSON file. */
export interface ConnectorsContext {
  readonly connectors?: unknown;
  readonly connectorsFile?: unknown;
}

/**
 * Reads the configuration from the context of the app.
 *
 * @param folder that paths are relative to: the folder of cdk.json
 * @throws {ConfigurationError} naming every fault.
 */
export function connectorsIn(context: ConnectorsContext, folder: string): readonly ConnectorConfig[] {
  const { connectors, connectorsFile } = context;
  if (connectorsFile === undefined) return readConnectors(connectors, folder);
  if (connectors !== undefined && !isExample(connectors)) {
    const reason = 'cannot be used together with connectors: remove "connectors" from cdk.json, or give one of the two';
    throw fileError(reason);
  }
  return readConnectors(readList(connectorsFile, folder), folder);
}

/**
 * Reads a list of connectors, or the JSON text of one as `-c connectors=…` gives it.
 *
 * @param folder that paths are relative to
 * @throws {ConfigurationError} naming every fault.
 */
export function readConnectors(context: unknown, folder = process.cwd()): readonly ConnectorConfig[] {
  const list = typeof context === 'string' ? parseText(context) : context;
  const wrong = schemaFaults(connectorsSchema, list, 'connectors');
  const faults = [
    ...wrong,
    ...contradictions(list),
    ...collisions(list),
    ...misplacedInList(list, CONNECTOR_OPTIONS),
    ...certificatesFaults(list, folder),
  ];
  if (faults.length > 0) throw new ConfigurationError(faults);
  return v.parse(connectorsSchema, list);
}

/** Whether this is the example in cdk.json. */
function isExample(connectors: unknown): boolean {
  return Array.isArray(connectors) && connectors.length === 1 && isExampleAddress(connectors[0]?.baseUrl);
}

/** Whether an address is one of the example. No real API can have an address in the reserved domain `.example`. */
export function isExampleAddress(address: unknown): boolean {
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

/** Whether more brackets are opened than closed, as in the first line of a formatted list. */
function isCut(text: string): boolean {
  const outside = text.replace(/"(\\.|[^"\\])*"/g, '');
  const count = (pattern: RegExp) => outside.match(pattern)?.length ?? 0;
  return text.trim() === '' || outside.includes('"') || count(/[[{]/g) > count(/[\]}]/g);
}

/** Readers are granted `events/` of a bucket, and S3 notifies one queue only of each prefix. */
export const SHARED_BUCKET =
  'would let the SIEM reader of each connector read the other’s events: give each connector its own bucket';

/** A table has one lease, and the states and cursors of one organization. */
export const SHARED_TABLE =
  'would mix the cursors and states of two connectors, and one would wait for the other: give each connector its own table';

/**
 * Members that no two connectors may share. Stacks, metrics and alarms are named after `name`; credentials belong to one
 * organization, so a secret used twice would send every event twice.
 */
const UNIQUE: Readonly<Record<string, string>> = {
  name: 'would collide: stacks, metrics and alarms are named after it',
  secretArn: 'is one organization’s credentials: two connectors would send each event twice',
  bucketArn: SHARED_BUCKET,
  stateTableArn: SHARED_TABLE,
};

/** Values that several connectors have, independent of other faults of the list. */
export function collisions(list: unknown): Fault[] {
  if (!Array.isArray(list)) return [];
  const repeatedValues = Object.entries(UNIQUE).flatMap(([member, reason]) => repeated(list, member, reason));
  return [...repeatedValues, ...repeatedProviders(list)];
}

function repeated(list: readonly unknown[], member: string, reason: string): Fault[] {
  const firstAt = new Map<string, number>();
  return list.flatMap((entry, index) => {
    const value = (entry as Record<string, unknown> | null)?.[member];
    if (typeof value !== 'string') return [];
    const earlier = firstAt.get(value);
    if (earlier === undefined) {
      firstAt.set(value, index);
      return [];
    }
    return [{ path: `connectors[${index}].${member}`, reason: `${reason}; connectors[${earlier}] has it already` }];
  });
}

/** An account can have an identity provider only once, so only one connector of an account may create it. */
function repeatedProviders(list: readonly unknown[]): Fault[] {
  const accounts = new Set<string>();
  return list.flatMap((entry, index) => {
    const { account = '', siemReader } = (entry ?? {}) as { account?: string; siemReader?: Record<string, unknown> };
    if (siemReader?.['createOidcProvider'] !== true) return [];
    const place = `${account} ${siemReader['cloud'] ?? 'commercial'}`;
    if (!accounts.has(place)) {
      accounts.add(place);
      return [];
    }
    const reason =
      'would collide: an account can have the provider only once, and another connector creates it already';
    return [{ path: `connectors[${index}].siemReader.createOidcProvider`, reason }];
  });
}
