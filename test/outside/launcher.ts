/**
 * Fetches and starts third-party software, as far as this machine can run it, and then runs the
 * test files that have their parts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command, InvalidArgumentError, type Option } from 'commander';
import { readArgumentsOrExit } from '../../local/npm-command.ts';
import { defaultCache, fetchOnce } from '../support/parts/cache.ts';
import { CommandError, endGroup } from '../support/parts/command.ts';
import { freePort, type PartLaunch, type StartedPart, startPart } from '../support/parts/start-part.ts';
import { lacking, type ToolName } from '../support/parts/tools.ts';
import { type RunningPart, VARIABLE } from './running.ts';

export interface Part {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly ToolName[];
  /** Puts the software into the folder. @throws CommandError */
  readonly fetch?: (folder: string) => Promise<void>;
  /** The path of software that is not fetched. @throws Error if this machine lacks it */
  readonly find?: () => string;
  /** Absent if it is not a server. */
  readonly launch?: (folder: string, port: number) => PartLaunch | Promise<PartLaunch>;
}

/** Test files below `test/`, with the parts that each needs. */
export type Suites<P extends string> = Readonly<Record<string, readonly P[]>>;

export interface Program<P extends string, Own extends object = object> {
  /** The npm script, such as `test:real`. */
  readonly command: string;
  readonly description: string;
  readonly parts: Readonly<Record<P, Part>>;
  /** Options of this program alone. */
  readonly options?: readonly Option[];
  readonly suites: (options: Own) => Suites<P>;
  /** How many files run at the same time. */
  readonly maxWorkers?: number;
}

interface Options {
  readonly without: readonly string[];
  readonly strict: boolean;
  readonly cache: string;
}

const ROOT = join(import.meta.dirname, '..', '..');

export async function launch<P extends string, Own extends object = object>(program: Program<P, Own>): Promise<void> {
  const { flags, operands } = readArgumentsOrExit<Options & Own>(() => describe(program));
  const started: StartedPart[] = [];
  // Signals do not reach the process groups of parts and tests. They, and every folder, end with
  // this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  try {
    process.exitCode = await run(program, flags, operands, started);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await Promise.all(started.map(part => part.stop()));
  }
}

function describe(program: Pick<Program<string>, 'command' | 'description' | 'parts' | 'options'>): Command {
  const { command, description, parts, options = [] } = program;
  const names = Object.keys(parts);
  const collect = (name: string, before: readonly string[]): readonly string[] => {
    if (names.includes(name)) return [...before, name];
    throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
  };
  const described = new Command(`npm run ${command} --`)
    .description(description)
    .argument('[files...]', 'only test files whose path contains one of these')
    .option('--without <part>', `leave out ${names.join(', ')}, and the tests that need it; repeatable`, collect, [])
    .option('--strict', 'fail when a part is not available, instead of skipping its tests', false)
    .option(
      '--cache <folder>',
      'where fetched parts are kept',
      defaultCache(process.env, command.replace('test:', '')),
    );
  for (const option of options) described.addOption(option);
  return described;
}

async function run<P extends string, Own extends object>(
  { parts, suites, maxWorkers }: Program<P, Own>,
  options: Options & Own,
  words: readonly string[],
  started: StartedPart[],
): Promise<number> {
  const chosen = (Object.entries(suites(options)) as [string, readonly P[]][]).filter(
    ([file]) => words.length === 0 || words.some(word => file.includes(word)),
  );
  const running: Partial<Record<P, RunningPart>> = {};
  const ready = async (name: P) => {
    const part = parts[name];
    const outcome = await fetchAndStart(name, part, options, started).catch((cause: Error) => {
      throw new Error(`${part.name} ${part.version}: ${cause.message}`, { cause });
    });
    if (typeof outcome !== 'string') running[name] = outcome;
    console.log(`${part.name} ${part.version}: ${typeof outcome === 'string' ? `SKIPPED, ${outcome}` : 'ready'}`);
  };
  // Waits for all, so that none is still starting when the others are stopped.
  const outcomes = await Promise.allSettled([...new Set(chosen.flatMap(([, needs]) => needs))].map(ready));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;

  const lacks = (needs: readonly P[]) => needs.filter(name => !running[name]);
  const skipped = chosen.filter(([, needs]) => lacks(needs).length > 0);
  for (const [file, needs] of skipped) console.log(`SKIPPED ${file}: it needs ${lacks(needs).join(', ')}`);
  if (options.strict && skipped.length > 0) throw new Error('--strict asks for every part.');
  const files = chosen.filter(([, needs]) => lacks(needs).length === 0).map(([file]) => `test/${file}`);
  if (files.length === 0) {
    console.log('Nothing was tested.');
    return 0;
  }
  const workers = maxWorkers ? ['--maxWorkers', `${maxWorkers}`] : [];
  return jest([...workers, '--runTestsByPath', ...files], running);
}

/** @returns why the part is not available, where it is not @throws PartFailedError */
async function fetchAndStart(
  name: string,
  { version, tools, fetch, find, launch }: Part,
  { without, cache }: Options,
  started: StartedPart[],
): Promise<RunningPart | string> {
  if (without.includes(name)) return 'left out';
  const lack = await lacking(tools);
  if (lack) return lack;
  if (find) return found(find);
  const fetched = await fetchOnce(cache, `${name}-${version}`, fetch!).catch((error: unknown) => {
    if (error instanceof CommandError) return `could not be fetched: ${error.message}`;
    throw error;
  });
  if (typeof fetched === 'string') return fetched;
  const { folder } = fetched;
  if (!launch) return { folder, url: '' };
  const server = await launch(folder, await freePort());
  started.push(await startPart(server));
  return { folder, url: new URL(server.health).origin };
}

function found(find: () => string): RunningPart | string {
  try {
    return { folder: find(), url: '' };
  } catch (error) {
    return (error as Error).message;
  }
}

/** @returns the exit code */
async function jest(args: readonly string[], running: object): Promise<number> {
  const program = ['--no-warnings', 'node_modules/jest/bin/jest.js', '--config', 'test/outside/jest.config.mjs'];
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: ROOT,
    env: { ...process.env, [VARIABLE]: JSON.stringify(running) },
    stdio: 'inherit',
    // A process group, so that its workers end with it, on an interrupt or an unexpected error.
    detached: true,
  });
  const stop = (): void => void (child.pid && endGroup(child.pid, 'SIGKILL'));
  process.once('exit', stop);
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('exit', stop);
  return code ?? 1;
}
