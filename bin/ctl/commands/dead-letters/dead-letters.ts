import { Command, Option } from 'commander';
import { examples, help, type Run, STREAM_NAMES, wholeNumber } from '../../command.ts';
import { listDeadLetterPlaces } from './list.ts';
import { loadDeadLetters } from './load.ts';
import { redrive } from './redrive.ts';
import { showDeadLetterPlace } from './show.ts';

const NAMED_KEYS = 20;

export function deadLettersCommand(run: Run): Command {
  return new Command('dead-letters')
    .description('list and show what could not be sent, delivered or read, and send it again where that helps')
    .addCommand(listCommand(run))
    .addCommand(showCommand(run))
    .addCommand(redriveCommand(run))
    .addCommand(loadCommand(run))
    .addHelpText('after', examples('dead-letters list', 'dead-letters redrive --all'));
}

function listCommand(run: Run): Command {
  return new Command('list')
    .description('count dead letters with reason and age; changes nothing')
    .addOption(new Option('--stream <name...>', 'only rows of these streams').choices(STREAM_NAMES))
    .option('--limit <n>', 'keys to print of each kind', wholeNumber(), NAMED_KEYS)
    .addHelpText('after', help(PLACES, 'dead-letters list', 'dead-letters list --stream threats --json'))
    .action(run(listDeadLetterPlaces));
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
    .action(run(showDeadLetterPlace));
}

function redriveCommand(run: Run): Command {
  return new Command('redrive')
    .description('send failed deliveries again, delete what was sent, and give the SIEM its notifications again')
    .argument('[key...]', 'keys below delivery-errors/, or siem-dead-letters')
    .option('--all', 'every failed delivery, and the notifications')
    .option('--yes', 'do not ask')
    .addHelpText('after', help(REDRIVE, 'dead-letters redrive --all', 'dead-letters redrive siem-dead-letters --yes'))
    .action(run(redrive));
}

function loadCommand(run: Run): Command {
  return new Command('load')
    .description('put oversize rows where the SIEM reads, as files with one event each')
    .argument('<key...>', 'keys of oversize rows printed by "list"')
    .option('--yes', 'do not ask')
    .addHelpText('after', help(LOAD, 'dead-letters load dead-letter/acme/threats/oversize/5e0c1f7a.json'))
    .action(run(loadDeadLetters));
}

const PLACES = `Rows that the function could not send are below dead-letter/ in the bucket. Events that Firehose could not deliver are below
delivery-errors/. Notifications that the SIEM did not process are in siem-dead-letters, failed starts in schedule-dead-letters.
Exit status 3: there are dead letters, or a place cannot be read.`;

const REDRIVE = `An object below delivery-errors/ is deleted only after Firehose has acknowledged all its events. Deleted objects stay for 30 days as
earlier versions. A late event is harmless, because the greatest sequence counts.
A row is not sent again: it stays a dead letter until it changes, and then the next run sends it.
Exit status 3: something was kept. The output gives the reason.`;

const LOAD = `Only a bucket as destination takes lines of that length. A row of which the SIEM has a newer version is not loaded.
Exit status 3: something was not loaded. The output gives the reason. The dead letter stays in any case.`;
