/** `asset`, `threat` and `related`: one id, by the API and by the connector. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { StreamName } from '../../../lambda/streams.ts';
import { examples, type Run } from '../command.ts';
import { lookUp } from '../inquiry/inquire.ts';
import { lookupJson } from '../inquiry/inquiry-json.ts';
import { lookupText } from '../inquiry/inquiry-text.ts';
import { related } from '../inquiry/related.ts';
import { isTrue } from '../inquiry/verdict.ts';

interface LookupCommandOptions {
  readonly show?: boolean;
  readonly minutes?: number;
}

export function assetCommand(run: Run): Command {
  return lookupCommand(run, 'asset', 'assets');
}

export function threatCommand(run: Run): Command {
  return lookupCommand(run, 'threat', 'threats');
}

function lookupCommand(run: Run, name: string, stream: StreamName): Command {
  return new Command(name)
    .description(
      `ask the API for the ${name} now, and compare with what the connector last sent of it; changes nothing`,
    )
    .argument('<id>', `id of the ${name}, as it is: a slash needs no care`)
    .option('--show', 'show the rows and the values that differ, which are your data')
    .addOption(
      new Option('--minutes <n>', 'minutes after it was made in which the event is looked for in the bucket').argParser(
        minutes,
      ),
    )
    .addHelpText('after', `\n${MEANING}\n${examples(`${name} ${name}-7f3a`, `${name} ${name}-7f3a --json --show`)}`)
    .action(
      run(async (context, id: string, { show = false, minutes: span }: LookupCommandOptions) => {
        const lookup = await lookUp(context, stream, id, span === undefined ? {} : { minutes: span });
        return {
          text: lookupText(lookup, show),
          json: lookupJson(lookup, show),
          status: isTrue(lookup.result) ? 0 : 3,
        };
      }),
    );
}

export function relatedCommand(run: Run): Command {
  return new Command('related')
    .description("show an asset's neighbours by the API now, and whether the connector sent each; changes nothing")
    .argument('<id>', 'id of the asset')
    .option('--show', "show the API's answer, which is your data")
    .addHelpText('after', `\n${RELATED_MEANING}\n${examples('related asset-7f3a', 'related asset-7f3a --json')}`)
    .action(run((context, id: string, { show = false }: LookupCommandOptions) => related(context, id, show)));
}

const MEANING = `Exit status 0: the SIEM was sent what the API answers, or was told that it is gone. 3: it was not, or nobody can tell.`;
const RELATED_MEANING = `Exit status 3: a neighbour was never sent or counts as gone, or the API refuses.`;

function minutes(text: string): number {
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number of minutes, 1 or more.');
}
