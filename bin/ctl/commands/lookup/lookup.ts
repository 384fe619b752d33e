/** The command that looks up a row of a stream, such as `asset`: one id at the API and at the SIEM. */
import { Command } from 'commander';
import type { FilterResult } from '../../../../lambda/ports.ts';
import { type StreamName, streamOf } from '../../../../lambda/streams.ts';
import { help, type Run, wholeNumber } from '../../command.ts';
import { joined, type Painted, paint, painted, type Text } from '../../painted.ts';
import { type Answer, isTrue, RESULTS } from './answer.ts';
import type { FoundEvent } from './find-event.ts';
import { type DifferingMember, type Lookup, lookUp } from './lookup-row.ts';

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
    .addHelpText('after', help(HELP, `${name} ${name}-7f3a`, `${name} ${name}-7f3a --json --show`))
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

const HELP = `Results with exit status 0:
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

/** @param show prints the rows, and the values that differ */
function lookupText(lookup: Lookup, show: boolean): Painted {
  const { stream, id, result, answer, found, differing } = lookup;
  const paintResult = isTrue(result) ? paint.good : paint.bad;
  return joined([
    painted`${stream} ${JSON.stringify(id)}: ${paintResult(result)}. ${RESULTS[result]}`,
    '',
    `API now:    ${answerText(answer)}`,
    `Last sent:  ${sentText(lookup)}`,
    ...(found ? [`Event:      ${foundText(found)}`] : []),
    ...(result === 'differs' ? differenceLines(differing, show) : []),
    ...(show ? rowLines(lookup) : []),
  ]);
}

export function answerText(answer: Answer): string {
  if (answer.kind === 'refused') return `refused with ${answer.status} (${answer.type ?? 'without a known type'})`;
  if (answer.kind === 'unclear') return `not understood: ${answer.why}`;
  if (answer.kind === 'parent removed')
    return `present, but its asset ${JSON.stringify(answer.parent)} is removed: no list includes it`;
  const { row } = answer;
  const kind = row.deleted ? 'a tombstone' : 'present';
  const parent = row.parent === undefined ? '' : `, of asset ${JSON.stringify(row.parent)}`;
  return `${kind}, ${row.time ?? 'without a time'}${parent}${FILTER_TEXTS[row.filter]}`;
}

const FILTER_TEXTS: Readonly<Record<FilterResult, string>> = {
  send: '',
  withhold: ', excluded by the filter',
  fault: ', sent because the filter gives no boolean for it',
};

function sentText({ stored }: Lookup): string {
  if (!stored) return 'never';
  const { status, rowHash, forwardedAt } = stored;
  if (rowHash === '' && status === 'removed') return 'never, and the row is removed';
  const what = { live: 'a row', withheld: 'a withdrawal because of the filter, or nothing', removed: 'a removal' }[
    status
  ];
  return `${what}, ${forwardedAt}, sequence ${stored.sequence}${stored.parent === undefined ? '' : `, of asset ${JSON.stringify(stored.parent)}`}`;
}

function foundText(found: FoundEvent): string {
  if ('notFound' in found) return `not found: ${found.notFound}.`;
  const { event, place } = found;
  return `${event.kind} in ${place}`;
}

function differenceLines(differing: readonly DifferingMember[] | undefined, show: boolean): Text[] {
  if (!differing) return ['Differing:  unknown, because the two rows cannot be compared'];
  const lines = [`Differing:  ${differing.map(({ name }) => JSON.stringify(name)).join(', ') || 'no member'}`];
  if (show)
    lines.push(...differing.map(({ name, api, siem }) => `  ${name}: ${siem ?? '(absent)'} → ${api ?? '(absent)'}`));
  return [
    ...lines,
    paint.faint('A single read may have other members than a row of the list, which the connector sends.'),
  ];
}

function rowLines({ answer, found }: Lookup): string[] {
  const sent = found && 'event' in found ? found.event.row : undefined;
  return [
    ...(answer.kind === 'row' ? ['', 'Row of the API:', answer.row.text] : []),
    ...(sent === undefined ? [] : ['', 'Row that was sent:', sent]),
  ];
}
