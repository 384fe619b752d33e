/** `npm run crash-test -- --kills N --seed S`: kills real processes, and compares the SIEM's copy with the API simulator. */
import { Command } from 'commander';
import { argumentsOrExit, wholeNumber } from '../../../local/npm-command.ts';
import { type TrialResult, trial } from './trial.ts';

const MAX_BREACHES_SHOWN = 5;

const MOST = 999_999_999;

function describe(): Command {
  return new Command('npm run crash-test --')
    .description(
      'Kills the connector with SIGKILL at random moments of its work, while the API simulator changes, and compares what the SIEM ' +
        'received with GET …/truth.',
    )
    .option('--kills <n>', 'how many processes to kill', wholeNumber(0, MOST), 100)
    .option(
      '--seed <n>',
      'of the tenant data, its changes and the moments; what a moment hits depends on the machine',
      wholeNumber(0, MOST),
      1,
    )
    .option('--traffic <rate>', 'changes a second', wholeNumber(0, MOST), 60);
}

const { kills, seed, traffic } = argumentsOrExit<{ kills: number; seed: number; traffic: number }>(describe).flags;

console.log(`${kills} kills, seed ${seed}, ${traffic} changes a second`);
const result = await trial({
  kills,
  seed,
  traffic,
  onRun: tally => {
    const line = `${tally.kills} of ${kills} killed, ${tally.runs} runs`;
    if (process.stdout.isTTY) process.stdout.write(`\r${line}   `);
  },
});
report(result);
process.exitCode = result.breaches.length === 0 ? 0 : 1;

function report({ tally, events, repeats, withdrawals, tombstones, restores, seconds, breaches }: TrialResult): void {
  const { runs, completed, leaseHeld, leaseLost } = tally;
  console.log(`\nKilled at, by what the run lost and the call to AWS:`);
  console.table(Object.fromEntries([...tally.killedAt].sort(([one], [other]) => (one < other ? -1 : 1))));
  const counts = { kills: tally.kills, runs, completed, leaseHeld, leaseLost };
  console.table({ ...counts, events, repeats, withdrawals, tombstones, restores, seconds: Math.round(seconds) });
  for (const breach of breaches.slice(0, MAX_BREACHES_SHOWN)) console.log(breach);
  console.log(
    breaches.length === 0
      ? `The copy equals the truth (seed ${seed}).`
      : `${breaches.length} ${breaches.length === 1 ? 'breach' : 'breaches'}; try again with: npm run crash-test -- --kills ${kills} --seed ${seed} --traffic ${traffic}`,
  );
}
