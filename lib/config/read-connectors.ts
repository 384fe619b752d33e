import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { printableText } from '../../lambda/issue-text.ts';
import { type ConnectorEntry, readersCreatingProvider } from './contradictions.ts';
import { entryProblems } from './entry-problems.ts';
import { existingResourcesIn, placeProblems } from './place.ts';
import { ConfigurationError, type Problem } from './problem.ts';
import { type ConnectorConfig, connectorsSchema, entrySchema } from './schema.ts';
import { schemaProblems } from './schema-problems.ts';

/**
 * Context of the app. `connectors` is a list of connectors or its JSON text, and `connectorsFile`
 * is the path of a JSON file with the list.
 */
export interface ConnectorsContext {
  readonly connectors?: unknown;
  readonly connectorsFile?: unknown;
}

/**
 * Reads the configuration from the context of the app.
 *
 * @param folder folder of cdk.json, to which paths are relative
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
 * Reads a list of connectors, or the JSON text of such a list as `-c connectors=…` gives it.
 *
 * @param folder folder to which paths are relative
 * @throws {ConfigurationError} naming every problem.
 */
export function readConnectors(context: unknown, folder = process.cwd()): readonly ConnectorConfig[] {
  const list = typeof context === 'string' ? parseText(context) : context;
  if (!Array.isArray(list) || list.length === 0)
    throw new ConfigurationError(schemaProblems(connectorsSchema, list, 'connectors'));

  const checked = list.map(entry => {
    const { sound, problems } = entryProblems(entry, schemaProblems(entrySchema, entry), folder);
    return { sound, problems: [...problems, ...placeProblems(existingResourcesIn(sound), sound)] };
  });
  const problems = [
    ...checked.flatMap((entry, index) => entry.problems.map(problem => ofConnector(index, problem))),
    ...collisions(checked.map(({ sound }) => sound)),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return v.parse(connectorsSchema, list);
}

function ofConnector(index: number, { path: member, reason }: Problem): Problem {
  return { path: `connectors[${index}]${member && `.${member}`}`, reason };
}

/**
 * Whether the list is the example in cdk.json. No real API can have an address in the reserved
 * domain `.example`.
 */
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
    throw fileError(`${printableText(file, 256)} cannot be read (${code}): check the path`, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    throw fileError(`${printableText(file, 256)} is not valid JSON: ${printableText(message, 256)}`, cause);
  }
}

function fileError(reason: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError([{ path: 'connectorsFile', reason }], { cause });
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason =
      'must be valid JSON when given as text. The CDK takes only the first line of a value of -c, so keep a list of several lines in a file: ' +
      '-c connectorsFile=connectors.json';
    throw new ConfigurationError([{ path: 'connectors', reason }], { cause });
  }
}

/**
 * Two connectors cannot share a bucket, because readers are granted `events/` of a bucket, and S3
 * notifies only one queue of each prefix.
 */
export const SHARED_BUCKET_REASON =
  'would let the SIEM reader of each connector read the other’s events: give each connector its own bucket';

/**
 * Two connectors cannot share a table, because it has one lease, and the states and cursors of one
 * organization.
 */
export const SHARED_TABLE_REASON =
  'would mix the cursors and states of two connectors, and one would wait for the other: give each connector its own table';

/** Returns the account and cloud in which an entry creates the identity provider. */
function createdProvider(entry: ConnectorEntry): string | undefined {
  const [provider] = readersCreatingProvider(entry);
  return provider && `${entry.account ?? ''} ${provider.cloud ?? 'commercial'}`;
}

/**
 * Options that no two connectors may share, with the path, the value in an entry, and the reason.
 */
const UNIQUE: readonly [path: string, valueIn: (entry: ConnectorEntry) => string | undefined, reason: string][] = [
  ['name', ({ name }) => name, 'would collide: stacks, metrics and alarms are named after it'],
  [
    'secretArn',
    ({ secretArn }) => secretArn,
    'is one organization’s credentials: two connectors would send each event twice',
  ],
  ['bucketArn', ({ bucketArn }) => bucketArn, SHARED_BUCKET_REASON],
  ['stateTableArn', ({ stateTableArn }) => stateTableArn, SHARED_TABLE_REASON],
  [
    'siemReader.createOidcProvider',
    createdProvider,
    'would collide: an account can have the identity provider only once',
  ],
];

/** Finds values that several connectors have. */
function collisions(entries: readonly ConnectorEntry[]): Problem[] {
  return UNIQUE.flatMap(([path, valueIn, reason]) => {
    const values = entries.map(valueIn);
    return values.flatMap((value, index) => {
      const first = values.indexOf(value);
      if (value === undefined || first === index) return [];
      return [ofConnector(index, { path, reason: `${reason}; connectors[${first}] has it already` })];
    });
  });
}
