/** Output of `verify`. */

import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { groupBy } from '../../group-by.ts';
import { joined, paint, painted, type Text } from '../../painted.ts';
import { readResultJson, readResultText } from '../../read-result.ts';
import type { Outcome } from '../../report.ts';
import { tableText } from '../../text.ts';
import { deadLetterText } from '../dead-letters/counts.ts';
import type { Checked } from './check-again.ts';
import type { Comparison } from './compare.ts';
import { DIFFERENCES, type Difference, type DifferenceKind } from './id-index.ts';

export interface VerifiedStream extends Comparison {
  /** Undefined if differences were not checked again. They may not be sent yet. */
  readonly checked: Checked | undefined;
}

export interface Verification {
  readonly streams: readonly VerifiedStream[];
  /** The schedule is off, so no run could resolve the differences. */
  readonly paused: boolean;
}

/** Confirmed differences, or all differences if none was checked again. */
export function lasting({ found, checked }: VerifiedStream): readonly Difference[] {
  return checked ? [...checked.confirmed, ...checked.moved] : found;
}

export function isComplete(stream: VerifiedStream): boolean {
  const { unconfirmed, deadLetters } = stream;
  return lasting(stream).length === 0 && unconfirmed === 0 && 'value' in deadLetters && deadLetters.value.count === 0;
}

/** @param limit of ids per kind in the text */
export function verifyOutcome({ streams, paused }: Verification, limit: number): Outcome {
  const complete = streams.every(isComplete);
  // A count alone proves nothing.
  const proven = complete && !streams.some(({ equal }) => equal !== undefined) ? null : complete;
  return {
    text: joined([
      headline(streams, { complete, paused }),
      ...(paused ? [PAUSED] : []),
      '',
      countsText(streams),
      ...(streams.some(({ equal }) => equal !== undefined) ? [COUNTED] : []),
      ...streams.flatMap(each => details(each, limit)),
    ]),
    json: {
      complete: proven,
      paused,
      streams: Object.fromEntries(streams.map(each => [each.stream.name, streamJson(each)])),
    },
    status: complete ? 0 : 3,
  };
}

const PAUSED = `The schedule is off. Start a run with "${CONNECTORCTL.command} run", then verify again: remaining differences are confirmed.`;

function headline(
  streams: readonly VerifiedStream[],
  { complete, paused }: { readonly complete: boolean; readonly paused: boolean },
): Text {
  const compared = streams.filter(({ equal }) => equal !== undefined);
  const sum = (count: (stream: VerifiedStream) => number) => compared.reduce((total, each) => total + count(each), 0);
  const resolved = sum(({ checked }) => checked?.resolved ?? 0);
  const equal = `${idsText(sum(each => each.equal ?? 0))} equal${resolved > 0 ? `, ${resolved} resolved since` : ''}.`;
  if (compared.length === 0) return 'Counted only: this stream has no row states, so completeness is not proven.';
  if (complete) return painted`${paint.good('Complete')}: ${equal}`;
  const differing = sum(each => lasting(each).length);
  if (differing === 0)
    return painted`${paint.unconfirmed('Not complete')}: ${equal} Dead letters or unconfirmed ids remain.`;
  const unchecked = compared.some(({ found, checked }) => found.length > 0 && !checked);
  const since = paused ? 'the schedule is off' : 'no run has ended since';
  const sure = unchecked ? ` Not confirmed: ${since}, so they may not be sent yet.` : '';
  return painted`${paint.bad('Differs')}: ${idsText(differing)}; ${equal}${sure}`;
}

/** The figures of the first line are the sums of these columns. */
const COUNTED = [
  'rows listed: rows of the API’s list, tombstones and repeated rows included',
  'ids equal:   ids of the list whose last row is the last one that the SIEM was sent',
  'differed:    ids that differed when they were compared, with those that only the SIEM has',
].join('\n');

function countsText(streams: readonly VerifiedStream[]): string {
  const rows = streams.map(each => [
    each.stream.name,
    String(each.rows),
    each.equal === undefined ? 'not compared' : String(each.equal),
    each.equal === undefined ? '' : String(each.found.length),
    each.checked ? String(each.checked.resolved) : '',
    String(each.unconfirmed),
    readResultText(each.deadLetters, deadLetterText),
  ]);
  return tableText(
    ['stream', 'rows listed', 'ids equal', 'differed', 'resolved since', 'unconfirmed', 'dead letters'],
    rows,
  );
}

function details(stream: VerifiedStream, limit: number): string[] {
  const { unsendable, withheld, unconfirmed, deadLetters, checked, ended } = stream;
  const hasDeadLetters = 'value' in deadLetters && deadLetters.value.count > 0;
  const moved = checked?.moved.length ?? 0;
  const notes: readonly (readonly [holds: boolean, note: string])[] = [
    [!ended, 'the API repeated a cursor instead of ending the list. Rows after it were not compared.'],
    [unconfirmed > 0, `${unconfirmed} ids may have been sent by a killed run that did not record it.`],
    [withheld > 0, `the filter excludes ${rowsText(withheld)} of the list, which the SIEM is not sent.`],
    [unsendable > 0, `${rowsText(unsendable)} cannot become events: dead letters.`],
    [hasDeadLetters, 'the SIEM lacks the dead letters: "dead-letters list" shows them.'],
  ];
  return [
    ...[...groupBy(lasting(stream), each => each.kind)].flatMap(([kind, all]) => kindLines(stream, kind, all, limit)),
    ...(moved > 0
      ? [`  ${moved} of them were sent again meanwhile, and single reads have other members. Verify again.`]
      : []),
    ...notes.filter(([holds]) => holds).map(([, note]) => `  ${stream.stream.name}: ${note}`),
  ];
}

function kindLines({ stream }: VerifiedStream, kind: DifferenceKind, all: Difference[], limit: number): string[] {
  const shown = all.slice(0, limit).map(each => `    ${nameOf(each)}`);
  const more = all.length > limit ? [`    and ${all.length - limit} more: --limit, or --json for all`] : [];
  return ['', `  ${stream.name}: ${all.length} ${DIFFERENCES[kind]}`, ...shown, ...more];
}

function nameOf({ id, key }: Difference): string {
  return id === undefined ? `an id with the hash ${key.slice(1)}` : JSON.stringify(id);
}

function streamJson(stream: VerifiedStream): object {
  const { rows, unsendable, withheld, equal, ended, found, unconfirmed, deadLetters, checked } = stream;
  const moved = new Set(checked?.moved);
  return {
    rowsListed: rows,
    listEnded: ended,
    rowsThatCannotBeEvents: unsendable,
    rowsFiltered: withheld,
    idsEqual: equal ?? null,
    differed: found.length,
    resolvedSince: checked?.resolved ?? null,
    confirmed: found.length === 0 || checked !== undefined,
    differences: lasting(stream).map(each => ({
      id: each.id ?? null,
      ...(each.id === undefined && { hash: each.key.slice(1) }),
      kind: DIFFERENCES[each.kind],
      ...(moved.has(each) && { confirmed: false }),
    })),
    unconfirmedIds: unconfirmed,
    deadLetters: readResultJson(deadLetters),
  };
}

function idsText(count: number): string {
  return count === 1 ? '1 id' : `${count} ids`;
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
