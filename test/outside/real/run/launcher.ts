/** The launcher of `npm run test:real` and `npm run test:siem`: starts the parts, then runs the test files that have theirs. */
import { Command, InvalidArgumentError } from 'commander';
import { argumentsOrExit } from '../../../../local/npm-command.ts';
import { defaultCache, fetchOnce } from '../../../support/parts/cache.ts';
import { CommandError } from '../../../support/parts/command.ts';
import type { StartedPart } from '../../../support/parts/start-part.ts';
import { lacking, type ToolName } from '../../../support/parts/tools.ts';

export interface Suite<P extends string> {
  readonly file: string;
  /** The parts that it requires. */
  readonly needs: readonly P[];
}

export interface Program<P extends string, S extends Suite<P>, C> {
  /** The npm script, such as `test:real`. */
  readonly command: string;
  readonly description: string;
  /** Folder of the fetched parts in the cache. */
  readonly folder: string;
  readonly parts: Readonly<
    Record<P, { readonly name: string; readonly version: string; readonly tools: readonly ToolName[] }>
  >;
  readonly suites: readonly S[];
  /** Puts a part into the folder. @throws CommandError */
  readonly fetch: Readonly<Record<P, (folder: string) => Promise<void>>>;
  /** @throws PartFailedError */
  start(part: P, folder: string): Promise<Used<C>>;
  /** Runs the files on the parts. @returns the exit code */
  test(suites: readonly S[], parts: { readonly [part in P]?: C }): Promise<number>;
}

/** A part that the tests can use. Servers have a process. */
export interface Used<C> {
  readonly connection: C;
  readonly started?: StartedPart;
}

export type Ready<C> = { readonly skipped: string } | (Used<C> & { readonly how: string });

export interface Options<P extends string> {
  readonly without: readonly P[];
  /** Whether a missing part fails the run. */
  readonly strict: boolean;
  readonly cache: string;
  /** Only test files whose path contains one of these. */
  readonly only: readonly string[];
}

export async function launch<P extends string, S extends Suite<P>, C>(program: Program<P, S, C>): Promise<void> {
  const options = readOptions(program, process.argv.slice(2), process.env);
  const ready = new Map<P, Ready<C>>();
  // Signals do not reach the process groups of parts and tests. They, and every folder, end with this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  try {
    process.exitCode = await run(program, options, ready);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await Promise.all([...ready.values()].map(each => ('started' in each ? each.started?.stop() : undefined)));
  }
}

async function run<P extends string, S extends Suite<P>, C>(
  program: Program<P, S, C>,
  options: Options<P>,
  ready: Map<P, Ready<C>>,
): Promise<number> {
  const { parts, suites } = program;
  const chosen = suites.filter(
    ({ file }) => options.only.length === 0 || options.only.some(each => file.includes(each)),
  );
  const needed = [...new Set(chosen.flatMap(({ needs }) => needs))];
  const readyAndReport = async (part: P) => {
    const title = `${parts[part].name} ${parts[part].version}`;
    const outcome = await readyPart(program, part, options).catch((cause: Error) => {
      throw new Error(`${title}: ${cause.message}`, { cause });
    });
    ready.set(part, outcome);
    console.log('skipped' in outcome ? `SKIPPED ${title}: ${outcome.skipped}` : `${title}: ${outcome.how}`);
  };
  // Waits for all, so that none is still starting when the others are stopped.
  const outcomes = await Promise.allSettled(needed.map(readyAndReport));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  const connections = Object.fromEntries(
    [...ready].flatMap(([part, each]) => ('connection' in each ? [[part, each.connection]] : [])),
  ) as { [part in P]?: C };
  const { runnable, skipped } = choose(chosen, new Set(Object.keys(connections)));
  for (const { file, lacks } of skipped) console.log(`SKIPPED ${file}: it needs ${lacks.join(', ')}`);
  if (options.strict && skipped.length > 0) {
    console.error('--strict asks for every part.');
    return 1;
  }
  if (runnable.length > 0) return program.test(runnable, connections);
  console.log('Nothing was tested.');
  return 0;
}

export function choose<P extends string, S extends Suite<P>>(suites: readonly S[], there: ReadonlySet<string>) {
  const checked = suites.map(each => ({ ...each, lacks: each.needs.filter(part => !there.has(part)) }));
  return {
    runnable: checked.filter(({ lacks }) => lacks.length === 0),
    skipped: checked.filter(({ lacks }) => lacks.length > 0),
  };
}

/** @throws PartFailedError */
export async function readyPart<P extends string, C>(
  { parts, fetch, start }: Pick<Program<P, Suite<P>, C>, 'parts' | 'fetch' | 'start'>,
  part: P,
  { without, cache }: Pick<Options<P>, 'without' | 'cache'>,
): Promise<Ready<C>> {
  if (without.includes(part)) return { skipped: 'left out' };
  const { version, tools } = parts[part];
  const lack = await lacking(tools);
  if (lack) return { skipped: lack };
  const begun = performance.now();
  const fetched = await fetchOnce(cache, `${part}-${version}`, fetch[part]).catch((error: unknown) => {
    if (error instanceof CommandError) return { skipped: `could not be fetched: ${error.message}` };
    throw error;
  });
  if ('skipped' in fetched) return fetched;
  const here = performance.now();
  const got = fetched.cached ? 'from the cache' : `fetched in ${seconds(here - begun)}`;
  const used = await start(part, fetched.folder);
  return { ...used, how: used.started ? `${got}, started in ${seconds(performance.now() - here)}` : got };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

export function readOptions<P extends string>(
  program: Pick<Program<P, Suite<P>, unknown>, 'command' | 'description' | 'folder' | 'parts'>,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Options<P> {
  const names = Object.keys(program.parts).join(', ');
  const collectPart = (text: string, before: readonly P[] = []): readonly P[] => {
    if (text in program.parts) return [...before, text as P];
    throw new InvalidArgumentError(`It must be one of ${names}.`);
  };
  const describe = () =>
    new Command(`npm run ${program.command} --`)
      .description(program.description)
      .argument('[files...]', 'only test files whose path contains one of these')
      .option('--without <part>', `leave out ${names}, and the tests that need it; repeatable`, collectPart)
      .option('--strict', 'fail when a part is not available, instead of skipping its tests', false)
      .option('--cache <folder>', 'where fetched parts are kept', defaultCache(environment, program.folder));
  const { flags, operands } = argumentsOrExit<Partial<Options<P>> & Pick<Options<P>, 'strict' | 'cache'>>(
    describe,
    undefined,
    args,
  );
  return { without: [], ...flags, only: operands };
}
