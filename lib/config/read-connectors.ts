import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { shownText } from '../../lambda/issue-text.ts';
import { certificatesProblems } from './certificates.ts';
import { contradictionsIn, type Entry, objectIn, readersIn } from './contradictions.ts';
import { misplacedIn } from './place.ts';
import { ConfigurationError, type Problem } from './problem.ts';
import { type ConnectorConfig, connectorsSchema } from './schema.ts';
import { schemaProblems } from './schema-problems.ts';

/** The context keys of the connectors: a list or its JSON text, or the path of a JSON file. */
export interface ConnectorsContext {
  readonly connectors?: unknown;
  readonly connectorsFile?: unknown;
}

/**
 * Reads the configuration from the context of the app.
 *
 * @param folder that paths are relative to: the folder of cdk.json
 * @throws {ConfigurationError} naming every problem.
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
 * @throws {ConfigurationError} naming every problem.
 */
export function readConnectors(context: unknown, folder = process.cwd()): readonly ConnectorConfig[] {
  const list = typeof context === 'string' ? parseText(context) : context;
  const entries = Array.isArray(list) ? list.map(objectIn) : [];
  const problems = [
    ...schemaProblems(connectorsSchema, list, 'connectors'),
    ...entries.flatMap((entry, index) =>
      // These are independent of the other problems of the entry.
      [...contradictionsIn(entry), ...misplacedIn(entry), ...certificatesProblems(entry, folder)].map(
        ({ path: member, reason }) => ({ path: `connectors[${index}].${member}`, reason }),
      ),
    ),
    ...collisions(entries),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return v.parse(connectorsSchema, list);
}

/** Whether this is the example in cdk.json. No real API can have an address in the reserved domain `.example`. */
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
    const { code } = cause as NodeJS.ErrnoException;
    throw fileError(`${shownText(file, 256)} cannot be read (${code}): check the path`, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    throw fileError(`${shownText(file, 256)} is not valid JSON: ${shownText(message, 256)}`, cause);
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
 * What no two connectors may share: the path, its value in an entry, and the reason. Stacks, metrics and alarms are named after `name`;
 * credentials belong to one organization, so a secret used twice would send every event twice.
 */
const UNIQUE: readonly [path: string, valueIn: (entry: Entry) => unknown, reason: string][] = [
  ['name', ({ name }) => name, 'would collide: stacks, metrics and alarms are named after it'],
  [
    'secretArn',
    ({ secretArn }) => secretArn,
    'is one organization’s credentials: two connectors would send each event twice',
  ],
  ['bucketArn', ({ bucketArn }) => bucketArn, SHARED_BUCKET],
  ['stateTableArn', ({ stateTableArn }) => stateTableArn, SHARED_TABLE],
  [
    'siemReader.createOidcProvider',
    createdProvider,
    'would collide: an account can have the identity provider only once',
  ],
];

/** The account and cloud in which an entry creates the identity provider. */
function createdProvider(entry: Entry): string | undefined {
  const creator = readersIn(entry).find(({ createOidcProvider }) => createOidcProvider === true);
  return creator && `${entry['account'] ?? ''} ${creator['cloud'] ?? 'commercial'}`;
}

/** Values that several connectors have, independent of other problems of the list. */
function collisions(entries: readonly Entry[]): Problem[] {
  return UNIQUE.flatMap(([path, valueIn, reason]) => {
    const values = entries.map(valueIn);
    return values.flatMap((value, index) => {
      const first = values.indexOf(value);
      if (typeof value !== 'string' || first === index) return [];
      return [{ path: `connectors[${index}].${path}`, reason: `${reason}; connectors[${first}] has it already` }];
    });
  });
}
