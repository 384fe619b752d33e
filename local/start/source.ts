import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import type { StreamKey } from '../../lambda/streams.ts';
import { DEFAULT_SEED_COUNTS, SEED_COUNT_NAMES } from '../api-simulator/seed.ts';
import { optionName } from '../npm-command.ts';
import { StartProblemsError, type StartRequest, type TenantTarget } from './options.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Recipe to rebuild the embedded API simulator. The same recipe gives the same rows, positions and
 * cursors.
 */
const TenantData = v.object({
  seed: count,
  /** Time of the first run, in milliseconds since 1970. */
  startedAt: count,
  ...(Object.fromEntries(SEED_COUNT_NAMES.map(name => [name, count])) as Record<StreamKey, typeof count>),
  /** Changes in the order of their times. */
  changes: v.array(v.object({ at: count, count })),
});

/**
 * The source of a state folder's rows. The cursors and row states of a source have no meaning for
 * any other source, so a folder may have only one source.
 */
const StateSource = v.object({
  version: v.literal(2),
  tenantData: v.optional(TenantData),
  tenant: v.optional(v.object({ baseUrl: v.string(), clientId: v.string() })),
});

export type StateSource = v.InferOutput<typeof StateSource>;
export type TenantDataRecipe = v.InferOutput<typeof TenantData>;

/**
 * The source of this run: the source of the earlier runs with the requested changes, or a new
 * source.
 *
 * @param now current time in milliseconds since 1970
 * @throws StartProblemsError if the state folder was filled from another source
 */
export function sourceOfRun(request: StartRequest, before: StateSource | undefined, now: number): StateSource {
  const { target } = request;
  const problems = before === undefined ? [] : contradictions(request, before);
  if (problems.length > 0) {
    const remedy = 'Choose another --name or --state-folder, or start again with --reset';
    throw new StartProblemsError(problems.map(problem => `${problem}. ${remedy}`));
  }
  if ('baseUrl' in target) return { version: 2, tenant: tenantRecord(target) };
  const { change, ...given } = target;
  const recipe = before?.tenantData ?? { seed: 1, ...DEFAULT_SEED_COUNTS.start, ...given, startedAt: now, changes: [] };
  return { version: 2, tenantData: change === 0 ? recipe : withChange(recipe, change, now) };
}

/**
 * Adds changes to the recipe. Each change takes a millisecond of the API simulator's time. The new
 * changes begin after the last change, because the machine's clock may have been set back.
 */
function withChange(recipe: TenantDataRecipe, change: number, now: number): TenantDataRecipe {
  const last = recipe.changes.at(-1) ?? { at: recipe.startedAt, count: 1 };
  return { ...recipe, changes: [...recipe.changes, { at: Math.max(now, last.at + last.count), count: change }] };
}

function contradictions({ target, name }: StartRequest, before: StateSource): string[] {
  const { tenantData, tenant } = before;
  const from = tenant ? `${tenant.baseUrl} with --client-id ${tenant.clientId}` : 'the embedded API simulator';
  const problems: string[] = [];
  if ('baseUrl' in target) {
    const { baseUrl, clientId } = tenantRecord(target);
    // Another client may belong to another organization, whose rows must not mix with these.
    if (tenant?.baseUrl !== baseUrl || tenant.clientId !== clientId)
      problems.push(`"${name}" has been filled from ${from}`);
  } else if (tenantData) {
    for (const option of ['seed', ...SEED_COUNT_NAMES] as const) {
      if (target[option] === undefined || target[option] === tenantData[option]) continue;
      problems.push(`${optionName(option)} was ${tenantData[option]} when "${name}" began`);
    }
  } else problems.push(`"${name}" has been filled from ${from}`);
  return problems;
}

function tenantRecord({ baseUrl, clientId }: TenantTarget): NonNullable<StateSource['tenant']> {
  return { baseUrl: baseUrl.replace(/\/+$/, ''), clientId };
}

export const SOURCE_FILE = 'source.json';
export const LOG_FILE = 'function.log';

export function logFileIn(folder: string): string {
  return join(folder, LOG_FILE);
}

/** @returns undefined before the first run @throws StartProblemsError if the file is invalid */
export async function readSource(folder: string): Promise<StateSource | undefined> {
  const file = join(folder, SOURCE_FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw cannotUse(file, 'read', error);
  });
  if (text === undefined) return undefined;
  const source = v.safeParse(v.pipe(v.string(), v.parseJson(), StateSource), text);
  if (source.success) return source.output;
  const remedy = isSourceText(text) ? 'start again with --reset' : 'choose another --name or --state-folder';
  throw new StartProblemsError([`${terminalLine(file)} was not written by this version: ${remedy}`]);
}

/** The parts of the file that are the same in every version. */
const AnySource = v.union([
  v.object({ version: v.number(), tenantData: v.looseObject({}) }),
  v.object({ version: v.number(), tenant: v.looseObject({}) }),
]);

/** Whether a run of this or another version has written the text. */
export function isSourceText(text: string): boolean {
  return v.is(v.pipe(v.string(), v.parseJson(), AnySource), text);
}

/**
 * Writes the source atomically, because a file that is only half written would leave the state
 * without a source.
 */
export async function writeSource(folder: string, source: StateSource): Promise<void> {
  const file = join(folder, SOURCE_FILE);
  await writeFile(`${file}.new`, `${JSON.stringify(source, undefined, 2)}\n`);
  await rename(`${file}.new`, file);
}

/** @throws StartProblemsError if the folder cannot be created or written */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw cannotUse(folder, 'written', cause);
  }
}

function cannotUse(path: string, what: 'read' | 'written', cause: unknown): StartProblemsError {
  const { code } = cause as NodeJS.ErrnoException;
  return new StartProblemsError([`${terminalLine(path)} cannot be ${what} (${code}): choose another --state-folder`]);
}
