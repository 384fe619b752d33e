import { Command, Option } from 'commander';
import { examplesText, helpText, type RunAction, STREAM_NAMES, wholeNumberParser } from '../../command.ts';
import { listDeadLetterPlaces } from './list.ts';
import { redriveDeliveries } from './redrive.ts';

const NAMED_ADDRESSES = 20;

export function deadLettersCommand(run: RunAction): Command {
  return new Command('dead-letters')
    .description('list rows, events and notifications that failed, and send failed deliveries again')
    .addCommand(listCommand(run))
    .addCommand(redriveCommand(run))
    .addHelpText('after', examplesText('dead-letters list', 'dead-letters redrive --all'));
}

function listCommand(run: RunAction): Command {
  return new Command('list')
    .description('count dead letters with reason and age; changes nothing')
    .addOption(new Option('--stream <name...>', 'only rows of these streams').choices(STREAM_NAMES))
    .option('--limit <n>', 'number of addresses to print for each kind', wholeNumberParser(), NAMED_ADDRESSES)
    .addHelpText('after', helpText(PLACES, 'dead-letters list', 'dead-letters list --stream threats --json'))
    .action(run(listDeadLetterPlaces));
}

function redriveCommand(run: RunAction): Command {
  return new Command('redrive')
    .description('send failed deliveries again, and delete their objects')
    .argument('[address...]', 'addresses below delivery-errors/, as "list" prints them')
    .option('--all', 'every failed delivery')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      helpText(REDRIVE, 'dead-letters redrive --all', 'dead-letters redrive --all --yes --stack acme'),
    )
    .action(run(redriveDeliveries));
}

const PLACES = `Rows that the function could not send are below dead-letter/ in the bucket. Events that Firehose could not deliver are below
delivery-errors/. Notifications that the SIEM did not process are in siem-dead-letters, and failed starts are in schedule-dead-letters.
To show a row: aws s3 cp <address> - --region <region>. docs/runbook.md has the commands for failed deliveries and for queues.
Exit status 3: there are dead letters, or a place cannot be read.`;

const REDRIVE = `An object below delivery-errors/ is deleted only after Firehose has acknowledged all its events. Deleted objects stay for 30 days as
earlier versions. A late event is harmless, because the greatest sequence counts.
A row is not sent again: it stays a dead letter until it changes, and then the next run sends it.
Exit status 3: an object was kept. The output gives the reason.`;
