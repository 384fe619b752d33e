import { Command, InvalidArgumentError, Option } from 'commander';
import { examples, type Run } from '../command.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../report/report.ts';
import { look } from '../status/look.ts';
import { lookJson } from '../status/look-json.ts';
import { lookText } from '../status/look-text.ts';
import { resultOf } from '../status/verdict.ts';
import { watch } from '../status/watch.ts';

interface StatusOptions {
  /** Seconds between two looks. */
  readonly watch?: number;
}

const WATCH_SECONDS = 15;

export function statusCommand(run: Run): Command {
  return new Command('status')
    .description('show whether the SIEM is up to date, and where each stream stands; changes nothing')
    .addOption(
      new Option('--watch [seconds]', 'look again and again, until Ctrl-C')
        .preset(String(WATCH_SECONDS))
        .argParser(seconds),
    )
    .addHelpText('after', `\n${MEANING}\n${examples('status', 'status --stack acme --json', 'status --watch 30')}`)
    .action(run((context, options: StatusOptions) => status(context, options)));
}

const MEANING = `Exit status 3: an alarm is in alarm, a stream is failing, damaged or silent, the stack is in trouble, alarms are
muted or gone although the schedule is on, or a part could not be read. With --watch: 0, at Ctrl-C.`;

async function status(context: Context, { watch: every }: StatusOptions): Promise<Outcome | undefined> {
  if (every === undefined) return statusOf(context);
  await watch(context, every * 1000);
  return undefined;
}

async function statusOf(context: Context): Promise<Outcome> {
  const seen = await look(context);
  const result = resultOf(seen);
  return { text: lookText(seen, result), json: lookJson(seen, result), status: result.word === 'unhealthy' ? 3 : 0 };
}

function seconds(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number of seconds, 1 or more.');
}
