/** The commands `related` and, for each stream with row states, as `asset`: one id at the API and at the SIEM. */
import { Command } from 'commander';
import { type StreamName, streamOf } from '../../../../lambda/streams.ts';
import { help, type Run, wholeNumber } from '../../command.ts';
import { isTrue } from './answer.ts';
import { type Lookup, lookUp } from './lookup-row.ts';
import { lookupText } from './lookup-text.ts';
import { related } from './related.ts';

interface LookupCommandOptions {
  readonly show?: boolean;
  readonly minutes?: number;
}

/** The command is named as one row of the stream. */
export function lookupCommand(run: Run, stream: StreamName): Command {
  const { singular: name } = streamOf(stream);
  return new Command(name)
    .description(`compare the ${name} at the API with what the connector last sent; changes nothing`)
    .argument('<id>', `id of the ${name}, without escaping`)
    .option('--show', 'show the rows and the differing values, which are your data')
    .option(
      '--minutes <n>',
      'minutes after it was sent in which the event is searched in the bucket',
      wholeNumber({ min: 1, unit: ' of minutes' }),
    )
    .addHelpText('after', help(MEANING, `${name} ${name}-7f3a`, `${name} ${name}-7f3a --json --show`))
    .action(
      run(async (context, id: string, { show = false, minutes }: LookupCommandOptions) => {
        const lookup = await lookUp(context, stream, id, minutes);
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
    .description("show an asset's neighbours at the API and whether the connector sent each; changes nothing")
    .argument('<id>', 'id of the asset')
    .option('--show', "show the API's answer, which is your data")
    .addHelpText('after', help(RELATED_MEANING, 'related asset-7f3a', 'related asset-7f3a --json'))
    .action(run((context, id: string, { show = false }: LookupCommandOptions) => related(context, id, show)));
}

const MEANING = `Results with exit status 0:
  same                         the SIEM was sent the row that the API returns
  removed                      the SIEM was sent the removal, and the API no longer has the row
  excluded by the filter       and the SIEM does not have it
Results with exit status 3:
  not withdrawn                the filter excludes it, and the SIEM has it until the next run that reads it
  differs                      the SIEM was sent other content, or a removal. A change of the last minutes may not be sent yet
  sent and gone from the API   the API refuses the id, and the SIEM was not sent the removal yet
  never sent                   whether or not the API has it
  too large                    the SIEM was sent an oversize event, and the row is a dead letter
  awaits a replay              it was sent before the last replay, and not since
  unconfirmed                  a run that was killed may have sent another version
  unknown                      the row state or the answer of the API cannot be read
The comparison ignores the order of members and stream_position, and compares every digit. The event is searched in the bucket,
in up to 500 objects and 256 MiB. A single read may have other members than a row of the list, which is what the connector sends.`;
const RELATED_MEANING = `Every object in the answer of the API that has an "id" counts.
Exit status 3: a neighbour was never sent or was removed, or the API refuses.`;

/** Rows and values are JSON texts, so that no digit is lost. @param show include them */
function lookupJson(lookup: Lookup, show: boolean): object {
  const { stream, id, result, answer, stored, found, differing } = lookup;
  const event = found && 'event' in found ? found : undefined;
  return {
    stream,
    id,
    result,
    siemIsCurrent: isTrue(result),
    api: answer.kind === 'row' ? rowJson(answer.row, show) : answer,
    lastSent: stored ?? null,
    event: event
      ? { place: event.place, kind: event.event.kind, ...(show && { row: event.event.row ?? null }) }
      : (found ?? null),
    differing:
      differing?.map(({ name, api, siem }) => (show ? { name, api: api ?? null, siem: siem ?? null } : { name })) ??
      null,
  };
}

function rowJson(row: Extract<Lookup['answer'], { kind: 'row' }>['row'], show: boolean): object {
  const { deleted, rowHash, time, parent, filter, text } = row;
  const facts = { kind: 'row', deleted, rowHash, time: time ?? null, parent: parent ?? null };
  return { ...facts, ...(filter !== 'send' && { filter }), ...(show && { row: text }) };
}
