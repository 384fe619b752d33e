/**
 * `npm run crash-test -- --kills N --seed S`: kills real processes, and compares the SIEM's copy
 * with the API.
 */
import { Command } from 'commander';
import { readArgumentsOrExit, wholeNumberParser } from '../../../local/npm-command.ts';
import { trial } from './trial.ts';

const MOST = 999_999_999;
const MOST_BREACHES_SHOWN = 5;

function describe(): Command {
  return new Command('npm run crash-test --')
    .description(
      'Kills the connector with SIGKILL at random moments of its work, while the rows of the API change, and compares what the ' +
        'SIEM received with what the API would answer.',
    )
    .option('--kills <n>', 'how many processes to kill', wholeNumberParser(0, MOST), 100)
    .option('--seed <n>', 'of the rows, their changes and the moments of the kills', wholeNumberParser(0, MOST), 1)
    .option('--traffic <rate>', 'changes per second', wholeNumberParser(0, MOST), 60);
}

const options = readArgumentsOrExit<{ kills: number; seed: number; traffic: number }>(describe).flags;
const { kills, seed } = options;

console.log(`${kills} kills, seed ${seed}`);
const onRun = (counts: { kills: number; runs: number }) => {
  if (process.stdout.isTTY) process.stdout.write(`\r${counts.kills} of ${kills} killed, ${counts.runs} runs   `);
};
const { breaches, counts, ...figures } = await trial({ ...options, onRun });

const { killedAt, ...runs } = counts;
console.table(killedAt);
console.table({ ...runs, ...figures });
for (const breach of breaches.slice(0, MOST_BREACHES_SHOWN)) console.log(breach);
console.log(breaches.length === 0 ? `The copy equals the truth (seed ${seed}).` : `${breaches.length} breaches`);
process.exitCode = breaches.length === 0 ? 0 : 1;
