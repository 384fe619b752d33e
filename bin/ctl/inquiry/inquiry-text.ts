/** What `asset` and `threat` print: names of members and no values, unless these are asked for. */
import { paint } from '../report/paint.ts';
import type { Answer } from './answer.ts';
import type { DifferingMember } from './differing-members.ts';
import type { FoundEvent } from './find-event.ts';
import type { Lookup } from './inquire.ts';
import { isTrue, type ResultWord } from './verdict.ts';

const MEANING: Readonly<Record<ResultWord, string>> = {
  same: 'The SIEM was sent what the API answers.',
  differs:
    'The SIEM was not sent what the API answers. A change of the last minutes may still be on its way: ask again.',
  'never sent': 'The connector has never sent it.',
  'awaits a replay':
    'The SIEM was sent what the API answers before the last replay was ordered, which has not come to it yet: ask again.',
  'in doubt':
    'The SIEM was sent what the API answers, and may have been sent something else since by a run that was killed: the next run mends it.',
  'too large':
    'The SIEM was sent a notice alone: the row is too large for an event. It lies in the bucket: "npm run connectorctl -- dead-letters list".',
  removed: 'The SIEM was told that it is gone, and the API has it no more.',
  'sent and gone from the API':
    'The SIEM was sent it, and the API does not give it any more. If it was removed just now, the removal is on its way: ask again.',
  'not known': 'Nobody can tell.',
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
  if (answer.kind === 'vanished')
    return `there, but of asset ${JSON.stringify(answer.parent)}, which is removed: no list shows it`;
  const { row } = answer;
  const kind = row.deleted ? 'a tombstone' : 'there';
  return `${kind}, ${row.time ?? 'without a time'}${row.parent === undefined ? '' : `, of asset ${JSON.stringify(row.parent)}`}`;
}

function sentText({ stored }: Lookup): string {
  if (!stored) return 'never';
  if (stored instanceof Error) return stored.message;
  const what = stored.removed ? 'that it is gone' : 'a row';
  const when = stored.forwardedAt || 'at a time that was not recorded';
  return `${what}, ${when}, sequence ${stored.sequence}${stored.parent === undefined ? '' : `, of asset ${JSON.stringify(stored.parent)}`}`;
}

function foundText(found: FoundEvent): string {
  if ('notFound' in found) return `not found: ${found.notFound}.`;
  const { event, place } = found;
  return `${event.kind} in ${place}`;
}

function differenceLines(differing: readonly DifferingMember[] | undefined, show: boolean): string[] {
  if (!differing) return ['Differing:  not known, since the two rows cannot be compared'];
  const lines = [`Differing:  ${differing.map(({ name }) => JSON.stringify(name)).join(', ') || 'no member'}`];
  if (show)
    lines.push(...differing.map(({ name, api, siem }) => `  ${name}: ${siem ?? '(absent)'} → ${api ?? '(absent)'}`));
  return [
    ...lines,
    paint.faint('A single read may carry other members than a row of the list, which the connector sends.'),
  ];
}

function rowLines({ answer, found }: Lookup): string[] {
  const sent = found && 'event' in found ? found.event.row : undefined;
  return [
    ...(answer.kind === 'row' ? ['', 'Row of the API:', answer.row.text] : []),
    ...(sent === undefined ? [] : ['', 'Row that was sent:', sent]),
  ];
}
