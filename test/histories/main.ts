/**
 *     npm run simulation                                  random histories
 *     npm run simulation -- --history "a=1 run -a run"    plays one and prints its events
 *
 * The head of histories.txt explains the words.
 */
import { Command } from 'commander';
import { readArgumentsOrExit, wholeNumberParser } from '../../local/npm-command.ts';
import { type Explored, explore, linesOf } from './explore.ts';
import { RULES, SCENES } from './histories.ts';
import { Stage } from './language.ts';
import { MUTANTS } from './mutants.ts';
import { Oracle } from './oracle.ts';
import { onAllCores, type Task } from './pool.ts';

interface Options {
  readonly runs: number;
  readonly seed: number;
  readonly history?: string;
  readonly exhaustive?: true | string;
  readonly mutants?: true | string;
}

/** Histories of one seed. */
const BATCH = 250;
const MOST = 999_999_999;

const { flags: options } = readArgumentsOrExit<Options>(describe, ({ flags }) => unknownNames(flags));
process.exitCode = await chosen();

function describe(): Command {
  return new Command('npm run simulation --')
    .description('Plays histories of the connector and holds what the SIEM received against what the API answers.')
    .option('--runs <n>', 'how many random histories', wholeNumberParser(1, MOST), 1_000)
    .option('--seed <n>', 'seed of the first ones; the next seeds follow it', wholeNumberParser(0, MOST), 1)
    .option('--history <words>', 'play one history and print its events; with a * all that it stands for')
    .option('--exhaustive [scene]', 'play everything that scenes.txt describes, or the scenes whose names begin so')
    .option('--mutants [rule]', 'break one line of the source after the other, and say which history notices');
}

/** A name that fits nothing would otherwise be a run of nothing, which succeeds. */
function unknownNames({ exhaustive, mutants }: Options): string[] {
  const isScene = typeof exhaustive !== 'string' || SCENES.some(({ name }) => name.startsWith(exhaustive));
  const isRule = typeof mutants !== 'string' || MUTANTS.some(({ rule }) => rule.includes(mutants));
  return [
    ...(isScene ? [] : [`--exhaustive: the name of no scene begins with '${exhaustive}'`]),
    ...(isRule ? [] : [`--mutants: no rule contains '${mutants}'`]),
  ];
}

function chosen(): Promise<number> {
  const { history, exhaustive, mutants } = options;
  if (history !== undefined) return history.includes('*') ? playAll(history) : playOne(history.split(/\s+/));
  if (exhaustive) return exploreScenes(exhaustive === true ? '' : exhaustive);
  if (mutants) return hunt(mutants === true ? '' : mutants);
  return draw(options);
}

async function draw({ runs, seed }: Options): Promise<number> {
  const batches = Array.from({ length: Math.ceil(runs / BATCH) }, (_, batch): Task => {
    return { seed: seed + batch, runs: Math.min(BATCH, runs - batch * BATCH) };
  });
  return report('random histories', await onAllCores(batches));
}

async function playAll(line: string): Promise<number> {
  return report(line, await explore(line));
}

async function exploreScenes(prefix: string): Promise<number> {
  let failed = 0;
  for (const scene of SCENES.filter(({ name }) => name.startsWith(prefix))) {
    const tasks = [...linesOf(scene)].map(line => ({ line }));
    failed += report(scene.name, await onAllCores(tasks));
  }
  return failed === 0 ? 0 : 1;
}

function report(name: string, { histories, failures }: Explored): number {
  const outcome = failures.length === 0 ? 'the promise holds' : 'FAILED';
  console.log(`${name}: ${histories} histories, ${outcome}`);
  for (const { line, breach } of failures) console.log(`  ${line}\n    ${breach}`);
  return failures.length === 0 ? 0 : 1;
}

async function playOne(words: readonly string[]): Promise<number> {
  const stage = new Stage(words);
  const oracle = new Oracle(stage);
  let before = stage.last;
  for (const word of words) {
    const isPossible = await stage.play(word);
    const requests = stage.last === before ? '' : `  ${stage.last!.process.operations.join(' ')}`;
    console.log(`${word}${isPossible ? '' : '  (impossible here)'}${requests}`);
    before = stage.last;
  }
  const breaches = await oracle.breaches();
  for (const { run, line } of stage.world.events) console.log(`run ${run}: ${line}`);
  for (const breach of breaches) console.log(breach);
  return breaches.length === 0 ? 0 : 1;
}

async function hunt(part: string): Promise<number> {
  let survivors = 0;
  for (const { rule, noticedBy, ...patch } of MUTANTS.filter(mutant => mutant.rule.includes(part))) {
    const lines = RULES.filter(({ name }) => name === noticedBy).map(({ line }) => ({ line }));
    const { failures } = await onAllCores(lines, patch);
    if (failures.length === 0) survivors++;
    console.log(`${failures.length > 0 ? 'noticed' : 'SURVIVES'}  ${rule}. ${failures[0]?.line ?? patch.broken}`);
  }
  return survivors === 0 ? 0 : 1;
}
