import { Command, InvalidArgumentError, Option } from 'commander';
import { examples, type Run } from '../command.ts';
import { type ListOptions, listSetAside } from '../dead-letters/list.ts';
import { type RedriveOptions, redrive } from '../dead-letters/redrive.ts';
import { showSetAside } from '../dead-letters/show.ts';
import { STREAM_NAMES, waitOption } from '../orders/order-options.ts';

const NAMED_KEYS = 20;

export function deadLettersCommand(run: Run): Command {
  return new Command('dead-letters')
    .description('what could not be sent, delivered or read: list it, look at it, send it again after a fix')
    .addCommand(listCommand(run))
    .addCommand(showCommand(run))
    .addCommand(redriveCommand(run))
    .addHelpText('after', examples('dead-letters list', 'dead-letters redrive --all'));
}

function listCommand(run: Run): Command {
  return new Command('list')
    .description('count what is set aside, with the reason and since when; changes nothing')
    .addOption(new Option('--stream <name...>', 'rows of these streams alone').choices(STREAM_NAMES))
    .addOption(new Option('--limit <n>', 'keys that are named of each kind').argParser(whole).default(NAMED_KEYS))
    .addHelpText('after', `\n${PLACES}\n${examples('dead-letters list', 'dead-letters list --stream threats --json')}`)
    .action(run((context, options: ListOptions) => listSetAside(context, options)));
}

function showCommand(run: Run): Command {
  return new Command('show')
    .description('tell why one of them was set aside; changes nothing')
    .argument('<key>', 'as "list" names it, siem-dead-letters or schedule-dead-letters')
    .option('--show', 'show the row, the events or the messages, which are your data')
    .addHelpText(
      'after',
      examples(
        'dead-letters show schedule-dead-letters',
        'dead-letters show dead-letter/acme/threats/oversize/5e0c1f7a.json --show',
      ),
    )
    .action(run((context, key: string, { show = false }: { show?: boolean }) => showSetAside(context, key, show)));
}

function redriveCommand(run: Run): Command {
  return new Command('redrive')
    .description('send again what was set aside; what is dealt with is deleted where it lay')
    .argument('[key...]', 'as "list" names them, or siem-dead-letters')
    .option('--all', 'everything that is set aside')
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText(
      'after',
      `\n${REDRIVE}\n${examples('dead-letters redrive --all', 'dead-letters redrive siem-dead-letters --yes')}`,
    )
    .action(run((context, keys: readonly string[], options: RedriveOptions) => redrive(context, keys, options)));
}

const PLACES = `Rows that the function could not send lie below dead-letter/ in the bucket, what Firehose could not deliver below
delivery-errors/, announcements that the SIEM gave up on in siem-dead-letters, starts that failed in schedule-dead-letters.
Exit status 3: something is set aside, or a place could not be read.`;

const REDRIVE = `Rows are tried again by the function, once it has read their stream to its end. What the SIEM has in a newer version is
deleted unsent; what cannot be an event still, and what the API does not give any more, is kept.
Exit status 3: something was kept, and why is told.`;

function whole(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
