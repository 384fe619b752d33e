import { Command, Option } from 'commander';
import { examples, type Run, STREAM_NAMES, waitOption, wholeNumber } from '../../command.ts';
import { type ListOptions, listDeadLetterPlaces } from './list.ts';
import { type RedriveOptions, redrive } from './redrive.ts';
import { showDeadLetterPlace } from './show.ts';

const NAMED_KEYS = 20;

export function deadLettersCommand(run: Run): Command {
  return new Command('dead-letters')
    .description('list, show and send again what could not be sent, delivered or read')
    .addCommand(listCommand(run))
    .addCommand(showCommand(run))
    .addCommand(redriveCommand(run))
    .addHelpText('after', examples('dead-letters list', 'dead-letters redrive --all'));
}

function listCommand(run: Run): Command {
  return new Command('list')
    .description('count dead letters with reason and age; changes nothing')
    .addOption(new Option('--stream <name...>', 'only rows of these streams').choices(STREAM_NAMES))
    .addOption(new Option('--limit <n>', 'keys to print of each kind').argParser(wholeNumber()).default(NAMED_KEYS))
    .addHelpText('after', `\n${PLACES}\n${examples('dead-letters list', 'dead-letters list --stream threats --json')}`)
    .action(run((context, options: ListOptions) => listDeadLetterPlaces(context, options)));
}

function showCommand(run: Run): Command {
  return new Command('show')
    .description('show why one of them failed; changes nothing')
    .argument('<key>', 'a key printed by "list", siem-dead-letters or schedule-dead-letters')
    .option('--show', 'show the row, the events or the messages, which are your data')
    .addHelpText(
      'after',
      examples(
        'dead-letters show schedule-dead-letters',
        'dead-letters show dead-letter/acme/threats/oversize/5e0c1f7a.json --show',
      ),
    )
    .action(
      run((context, key: string, { show = false }: { show?: boolean }) => showDeadLetterPlace(context, key, show)),
    );
}

function redriveCommand(run: Run): Command {
  return new Command('redrive')
    .description('send again and delete what was sent')
    .argument('[key...]', 'keys printed by "list", or siem-dead-letters')
    .option('--all', 'everything that "list" counts, except failed starts')
    .option('--yes', 'do not ask')
    .addOption(waitOption())
    .addHelpText(
      'after',
      `\n${REDRIVE}\n${examples('dead-letters redrive --all', 'dead-letters redrive siem-dead-letters --yes')}`,
    )
    .action(run((context, keys: readonly string[], options: RedriveOptions) => redrive(context, keys, options)));
}

const PLACES = `Rows that the function could not send are below dead-letter/ in the bucket. Events that Firehose could not deliver are below
delivery-errors/. Notifications that the SIEM did not process are in siem-dead-letters, failed starts in schedule-dead-letters.
Exit status 3: there are dead letters, or a place cannot be read.`;

const REDRIVE = `The function tries rows again once it has read their stream to the end. A row that the SIEM has in a newer version is deleted
unsent. A row that still cannot become an event, or that the API no longer returns, is kept.
Exit status 3: something was kept. The output gives the reason.`;
