/** `npm run simulation -- --runs N --seed S`: runs N histories on all cores. `--mutants` checks that each broken variant is noticed. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Command, InvalidArgumentError } from 'commander';
import { type Batch, type BatchResult, explain } from './check.ts';
import { MUTANTS } from './mutants/catalogue.ts';
import { hunt } from './mutants/mutant.ts';
import { emptyTally, type Tally } from './oracle/observation.ts';

interface Options {
  readonly runs: number;
  readonly seed: number;
  readonly mutants?: true;
}

const BATCH = 100;
const MUTANT_LIMIT = 2_000;
const MAX_EXPLAINED = 3;

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

const options = new Command('simulation')
  .description('Runs the connector through simulated histories and compares what the SIEM received with the platform.')
  .option('--runs <n>', 'how many histories', wholeNumber, 1_000)
  .option('--seed <n>', 'seed of the first; the next ones follow it', wholeNumber, 1)
  .option('--mutants', 'break each rule on purpose, and say how many histories it takes to notice')
  .addHelpText('after', '\nA seed that fails is run again alone with:  npm run simulation -- --runs 1 --seed <seed>')
  .parse()
  .opts<Options>();

process.exitCode = options.mutants ? await huntAll(options.seed) : await runAll(options);

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
  for (const each of failed.sort((a, b) => a - b).slice(0, MAX_EXPLAINED)) console.log(await explain(each));
  console.log(
    failed.length === 0
      ? 'The promise holds in all of them.'
      : `The promise is broken in ${failed.length}: seeds ${failed.slice(0, 20).join(', ')}.`,
  );
  return failed.length === 0 ? 0 : 1;
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

async function huntAll(seed: number): Promise<number> {
  const rows: Record<string, string | number>[] = [];
  for (const mutant of MUTANTS) {
    const { histories, breach = '' } = await hunt(mutant, seed, MUTANT_LIMIT);
    rows.push({
      rule: mutant.rule,
      broken: mutant.breakage,
      histories: histories ?? 'never',
      breach: breach.slice(0, 48),
    });
    console.log(`${String(histories ?? 'NEVER').padStart(5)}  ${mutant.rule}: ${mutant.breakage}`);
  }
  console.table(rows);
  return rows.some(row => row['histories'] === 'never') ? 1 : 0;
}
