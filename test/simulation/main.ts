/**
 * Random histories: `npm run simulation -- --runs N --seed S`. Small scenes, completely: `--exhaustive [scope]`, one history of them:
 * `--history "a=1 run" --scope removal`. `--mutants` breaks one line of the source after the other, and checks that a small scene notices.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Command } from 'commander';
import { argumentsOrExit, wholeNumber } from '../../local/npm-command.ts';
import { type Batch, type BatchResult, explain, neverHappened } from './check.ts';
import { emptyTally, type Tally } from './oracle/observation.ts';
import { MUTANTS, sequencesFor } from './small/mutants.ts';
import { Stage } from './small/play.ts';
import { exploreOnAllCores, hunt } from './small/pool.ts';
import { SCOPES } from './small/scopes.ts';

interface Options {
  readonly runs: number;
  readonly seed: number;
  readonly exhaustive?: true | string;
  readonly history?: string;
  readonly scope: string;
  readonly mutants?: true | string;
}

const BATCH = 100;
const MOST_FAILURES = 5;
const MAX_EXPLAINED = 3;
/** In fewer histories a rare event may be missing. */
const MEANINGFUL = 400;
/** Bound of --runs and --seed. */
const MOST = 999_999_999;

const { flags: options } = argumentsOrExit<Options>(describe, ({ flags }) => unknownNames(flags));

function describe(): Command {
  return new Command('npm run simulation --')
    .description(
      'Runs the connector through simulated histories and compares what the SIEM received with the platform.',
    )
    .option('--runs <n>', 'how many histories', wholeNumber(1, MOST), 1_000)
    .option('--seed <n>', 'seed of the first; the next ones follow it', wholeNumber(0, MOST), 1)
    .option('--exhaustive [scope]', 'explore small scenes completely: all of them, or those whose names begin so')
    .option('--history <words>', 'play one history of a small scene and print its events')
    .option('--scope <name>', 'the small scene of --history', 'removal')
    .option('--mutants [rule]', 'break one line of the source after the other, and say which small scene notices')
    .addHelpText('after', '\nA seed that fails is run again alone with:  npm run simulation -- --runs 1 --seed <seed>');
}

/** A name that fits nothing would otherwise be a run of nothing, which succeeds. */
function unknownNames({ scope, exhaustive, mutants }: Options): string[] {
  const isScope = (matches: (name: string) => boolean) => SCOPES.some(({ name }) => matches(name));
  const isRule = (text: string) => MUTANTS.some(({ rule }) => rule.includes(text));
  return [
    ...(isScope(name => name === scope) ? [] : [`--scope: no small scene has the name '${scope}'`]),
    ...(typeof exhaustive !== 'string' || isScope(name => name.startsWith(exhaustive))
      ? []
      : [`--exhaustive: the name of no small scene begins with '${exhaustive}'`]),
    ...(typeof mutants !== 'string' || isRule(mutants) ? [] : [`--mutants: no rule contains '${mutants}'`]),
  ];
}

process.exitCode = await chosen();

function chosen(): Promise<number> {
  if (options.history !== undefined) return playOne(options.history, options.scope);
  if (options.exhaustive) return exploreAll(options.exhaustive === true ? '' : options.exhaustive);
  if (options.mutants) return huntAll(options.mutants === true ? '' : options.mutants);
  return runAll(options);
}

async function runAll({ runs, seed }: Options): Promise<number> {
  const started = performance.now();
  const tally = emptyTally();
  const failed: number[] = [];
  let next = seed;
  let done = 0;
  const take = (): Batch | undefined => {
    if (next >= seed + runs) return undefined;
    const batch = { from: next, count: Math.min(BATCH, seed + runs - next) };
    next += batch.count;
    return batch;
  };
  const add = ({ failedSeeds, seen, count }: BatchResult) => {
    failed.push(...failedSeeds);
    for (const name of Object.keys(tally) as (keyof Tally)[]) tally[name] += seen[name];
    done += count;
    progress(done, runs, failed.length, started);
  };
  const workers = Math.min(availableParallelism(), Math.ceil(runs / BATCH));
  await Promise.all(Array.from({ length: workers }, () => work(take, add)));
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `\n${runs} histories in ${seconds.toFixed(1)} s, ${(runs / seconds).toFixed(0)} a second, from seed ${seed}.`,
  );
  console.table(tally);
  console.log(
    failed.length === 0
      ? 'The promise holds in all of them.'
      : `The promise is broken in ${failed.length}: seeds ${failed
          .sort((a, b) => a - b)
          .slice(0, 20)
          .join(', ')}.`,
  );
  // After the seeds: to shorten a history takes minutes.
  for (const each of failed.slice(0, MAX_EXPLAINED)) console.log(await explain(each));
  const missing = runs < MEANINGFUL ? [] : neverHappened(tally);
  if (missing.length > 0) console.log(`None of the histories has: ${missing.join(', ')}.`);
  return failed.length + missing.length === 0 ? 0 : 1;
}

function work(take: () => Batch | undefined, add: (result: BatchResult) => void): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    const hand = () => {
      const batch = take();
      if (batch) worker.postMessage(batch);
      else worker.terminate().then(() => resolve(), reject);
    };
    worker.on('message', (result: BatchResult) => {
      add(result);
      hand();
    });
    worker.on('error', reject);
    hand();
  });
}

function progress(done: number, runs: number, failed: number, started: number): void {
  const rate = done / ((performance.now() - started) / 1000);
  const line = `${done} of ${runs}, ${failed} failed, ${rate.toFixed(0)} a second`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}   `);
  else if (done === runs || done % (BATCH * 20) === 0) console.log(line);
}

async function exploreAll(prefix: string): Promise<number> {
  let failed = 0;
  let histories = 0;
  const started = performance.now();
  for (const { name } of SCOPES.filter(each => each.name.startsWith(prefix))) {
    const begun = performance.now();
    const explored = await exploreOnAllCores(name, MOST_FAILURES);
    histories += explored.histories;
    failed += explored.failures.length;
    const complete = explored.failures.length === 0 ? 'complete' : 'FAILED';
    console.log(`${name}: ${explored.histories} histories, ${secondsSince(begun)} s, ${complete}`);
    for (const { words, breach } of explored.failures) console.log(`  ${words}\n    ${breach}`);
  }
  console.log(
    `${histories} histories in ${secondsSince(started)} s. ${failed === 0 ? 'The promise holds in all of them.' : ''}`,
  );
  return failed === 0 ? 0 : 1;
}

function secondsSince(begun: number): string {
  return ((performance.now() - begun) / 1000).toFixed(1);
}

async function playOne(history: string, scope: string): Promise<number> {
  const { setting } = SCOPES.find(({ name }) => name === scope)!;
  const stage = new Stage(setting);
  for (const word of history.split(' ')) {
    const done = await stage.play(word);
    console.log(`${word}${done ? '' : ' (makes no sense here)'}${stage.ios > 0 ? `, ${stage.ios} I/Os` : ''}`);
  }
  const breaches = await stage.check();
  for (const { run, line } of stage.scene.events) console.log(`run ${run}: ${line}`);
  for (const breach of breaches) console.log(breach);
  return breaches.length === 0 ? 0 : 1;
}

async function huntAll(rule: string): Promise<number> {
  let survivors = 0;
  for (const mutant of MUTANTS.filter(each => each.rule.includes(rule))) {
    const { histories, failures } = await hunt(sequencesFor(mutant), mutant);
    const caught = failures[0]?.words;
    if (!caught) survivors++;
    console.log(
      `${caught ? 'caught' : 'NEVER '} after ${String(histories).padStart(5)}  ${mutant.rule}. ${caught ?? mutant.broken}`,
    );
  }
  return survivors === 0 ? 0 : 1;
}
