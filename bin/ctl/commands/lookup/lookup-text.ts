/** Output of `asset` and `threat`: names of members, and values only with `--show`. */

import type { FilterResult } from '../../../../lambda/ports.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { paint } from '../../text.ts';
import { type Answer, isTrue, type ResultWord } from './answer.ts';
import type { FoundEvent } from './find-event.ts';
import type { DifferingMember, Lookup } from './lookup-row.ts';

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
