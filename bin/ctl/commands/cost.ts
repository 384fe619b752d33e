import { Command, InvalidArgumentError, Option } from 'commander';
import { examples, type Run } from '../command.ts';
import type { Context } from '../context.ts';
import { estimateOutcome, usedOutcome } from '../cost/cost-result.ts';
import { estimateCost, type Numbers } from '../cost/estimate-cost.ts';
import { monthOf } from '../cost/month.ts';
import { readUse } from '../cost/read-use.ts';
import { usedLines } from '../cost/used-lines.ts';
import { RefusedError } from '../errors.ts';
import type { Outcome } from '../report/report.ts';

const MOST_MINUTES = 60;

export function costCommand(run: Run): Command {
  const command = new Command('cost').description(
    "show the month's bill so far and at its end, or estimate that of given numbers without any AWS; changes nothing",
  );
  const options = [
    ['--assets <n>', 'estimate: assets'],
    ['--threats <n>', 'estimate: threats'],
    ['--dns-blocks-per-day <n>', 'estimate: DNS blocks a day; none: the stream is off'],
    ['--changes-per-day <n>', 'estimate: changes a day, half of them of assets, half of threats'],
    ['--rate-minutes <n>', 'estimate: minutes between two runs, 1 to 60 (default: 1)'],
  ] as const;
  for (const [flags, description] of options) command.addOption(new Option(flags, description).argParser(whole));
  return command
    .addHelpText(
      'after',
      examples('cost', 'cost --assets 10000 --threats 40000 --changes-per-day 50000 --dns-blocks-per-day 700000'),
    )
    .action(run((context, numbers: Numbers) => cost(context, numbers)));
}

async function cost(context: Context, numbers: Numbers): Promise<Outcome> {
  const { rateMinutes = 1, ...rows } = numbers;
  if (rateMinutes < 1 || rateMinutes > MOST_MINUTES) {
    throw new RefusedError(`--rate-minutes must be from 1 to ${MOST_MINUTES}. Nothing was done.`);
  }
  if (Object.values(rows).some(each => each !== undefined)) return estimateOutcome(estimateCost(numbers));
  if (numbers.rateMinutes !== undefined) {
    throw new RefusedError('--rate-minutes belongs to an estimate: say --assets or --threats too. Nothing was done.');
  }
  const month = monthOf(context.clock.now());
  const use = await readUse(context, month);
  return usedOutcome(month, use, usedLines(use));
}

function whole(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
