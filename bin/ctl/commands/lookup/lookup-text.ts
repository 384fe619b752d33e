/** Output of `asset` and `threat`: names of members, and values only with `--show`. */

import { type CutMember, cutBody } from '../../../../lambda/core/json/cutter.ts';
import type { FilterResult } from '../../../../lambda/ports.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { paint } from '../../text.ts';
import { type Answer, isTrue, type ResultWord } from './answer.ts';
import type { FoundEvent } from './find-event.ts';
import type { Lookup } from './lookup-row.ts';

const MEANING: Readonly<Record<ResultWord, string>> = {
  same: 'The SIEM was sent the row that the API returns.',
  differs:
    'The SIEM was not sent the row that the API returns. A change of the last minutes may not be sent yet. Repeat the command.',
  'never sent': 'The connector has never sent it.',
  'awaits a replay':
    'The SIEM was sent this row before the last replay, which has not sent it yet. Repeat the command later.',
  unconfirmed:
    'The SIEM was sent this row. A killed run may have sent another version since. The next run repairs that.',
  'too large': `The SIEM was sent an oversize event. The row is too large and is a dead letter: "${CONNECTORCTL.command} dead-letters list".`,
  removed: 'The SIEM was sent the removal, and the API no longer has the row.',
  'excluded by the filter': 'The filter of the connector excludes this row, and the SIEM does not have it.',
  'not withdrawn':
    'The filter of the connector excludes this row now, and the SIEM still has it. The next run that reads it withdraws it.',
  'sent and gone from the API':
    'The SIEM was sent this row, and the API no longer returns it. A recent removal may not be sent yet. Repeat the command.',
  unknown: 'The row state or the answer of the API cannot be read.',
};

/** @param show prints the rows, and the values that differ */
export function lookupText(lookup: Lookup, show: boolean): string {
  const { stream, id, result, answer, found, differing } = lookup;
  const paintResult = isTrue(result) ? paint.good : paint.bad;
  return [
    `${stream} ${JSON.stringify(id)}: ${paintResult(result)}. ${MEANING[result]}`,
    '',
    `API now:    ${answerText(answer)}`,
    `Last sent:  ${sentText(lookup)}`,
    ...(found ? [`Event:      ${foundText(found)}`] : []),
    ...(result === 'differs' ? differenceLines(differing, show) : []),
    ...(show ? rowLines(lookup) : []),
  ].join('\n');
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

function differenceLines(differing: readonly DifferingMember[] | undefined, show: boolean): string[] {
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

export interface DifferingMember {
  readonly name: string;
  /** JSON text as sent, undefined if the row lacks the member. */
  readonly api: string | undefined;
  readonly siem: string | undefined;
}

const NOTHING = { wanted: [], excluded: '' };
/** Null on single reads, and not part of the content. */
const POSITION = 'stream_position';

/**
 * Compares as the row hash does: every digit counts, the order of members does not. The API's members come first.
 *
 * @throws JsonError unless both are JSON objects
 */
export function differingMembers(api: string, siem: string): DifferingMember[] {
  const [ours, theirs] = [membersOf(api), membersOf(siem)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].filter(name => name !== POSITION);
  return names
    .map(name => ({ name, api: ours.get(name), siem: theirs.get(name) }))
    .filter(each => canonical(each.api) !== canonical(each.siem));
}

/** The last of several members with one name counts. */
function membersOf(text: string): Map<string, string> {
  const source = Buffer.from(text);
  const cut = ({ name, start, end }: CutMember): [string, string] => [name, source.toString('utf8', start, end)];
  return new Map(cutBody(source, NOTHING).map(cut));
}

function canonical(json: string | undefined): string | undefined {
  if (json === undefined) return undefined;
  return cutBody(Buffer.from(`{"a":[${json}]}`), NOTHING)[0]!.elements![0]!.canonical;
}
