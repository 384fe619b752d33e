/** Output of `verify`. */

import { CONNECTORCTL } from '../../../../lib/installation.ts';
import { groupBy } from '../../group-by.ts';
import { joinTexts, paint, painted, type ReportText } from '../../painted.ts';
import { readResultJson, readResultText } from '../../read-result.ts';
import type { CommandOutcome } from '../../report.ts';
import { tableText } from '../../text.ts';
import { deadLetterCountText } from '../dead-letters/counts.ts';
import type { SecondCheck } from './check-again.ts';
import type { StreamComparison } from './compare.ts';
import { DIFFERENCE_KINDS, type Difference } from './id-index.ts';

export interface VerifiedStream extends StreamComparison {
  /**
   * Result of the second check. Undefined if the differences were not checked again, so their rows
   * may not be sent yet.
   */
  readonly checked: SecondCheck | undefined;
}

export interface Verification {
  readonly streams: readonly VerifiedStream[];
  /** Whether the schedule is off, so that no run could resolve the differences. */
  readonly paused: boolean;
}

/**
 * Differences that remain after the second check, or all differences if there was no second check.
 */
function lasting({ found, checked }: VerifiedStream): readonly Difference[] {
  return checked ? [...checked.confirmed, ...checked.moved] : found;
}

function isComplete(stream: VerifiedStream): boolean {
  const { batchOpen, deadLetters } = stream;
  return lasting(stream).length === 0 && !batchOpen && 'value' in deadLetters && deadLetters.value.count === 0;
}

/** @param limit largest number of ids per kind in the text */
export function verifyOutcome(verification: Verification, limit: number): CommandOutcome {
  const { streams, paused } = verification;
  const complete = streams.every(isComplete);
  const isCompared = streams.some(({ equal }) => equal !== undefined);
  return {
    text: joinTexts([
      headline(verification, complete),
      ...(paused ? [PAUSED] : []),
      '',
      countsText(streams),
      ...(isCompared ? [COUNTED] : []),
      ...streams.flatMap(each => details(each, limit)),
      ...healingLines(streams),
    ]),
    json: {
      // Equal counts prove that the SIEM is complete only if the rows were compared, too.
      complete: complete && !isCompared ? null : complete,
      paused,
      streams: Object.fromEntries(streams.map(each => [each.stream.name, streamJson(each)])),
    },
    status: complete ? 0 : 3,
  };
}

const PAUSED = `The schedule is off. Start a run with "${CONNECTORCTL.command} run", then verify again: remaining differences are confirmed.`;

function headline({ streams, paused }: Verification, complete: boolean): ReportText {
  const compared = streams.filter(({ equal }) => equal !== undefined);
  if (compared.length === 0) return 'Counted only: this stream has no row states, so completeness is not proven.';

  const sum = (count: (stream: VerifiedStream) => number) => compared.reduce((total, each) => total + count(each), 0);
  const resolved = sum(({ checked }) => checked?.resolved ?? 0);
  const since = resolved > 0 ? `, ${resolved} resolved since` : '';
  const equalIds = sum(each => each.equal ?? 0);
  const equal = `${countText(equalIds, 'id')} equal${since}.`;
  if (complete) return painted`${paint.good('Complete')}: ${equal}`;

  const differing = sum(each => lasting(each).length);
  if (differing === 0) {
    return painted`${paint.unconfirmed('Not complete')}: ${equal} Dead letters or an open batch remain.`;
  }
  const isChecked = compared.every(({ found, checked }) => found.length === 0 || checked);
  const reason = paused ? 'the schedule is off' : 'no run has ended since';
  const doubt = isChecked ? '' : ` Not confirmed: ${reason}, so they may not be sent yet.`;
  return painted`${paint.bad('Differs')}: ${countText(differing, 'id')}; ${equal}${doubt}`;
}

/** Explanation of three columns of the table: rows listed, ids equal and differed. */
const COUNTED = [
  'rows listed: rows of the API’s list, tombstones and repeated rows included',
  'ids equal:   ids of the list whose last row is the last row that was sent to the SIEM',
  'differed:    ids that differed when they were compared, and ids that only the SIEM has',
].join('\n');

function countsText(streams: readonly VerifiedStream[]): string {
  const rows = streams.map(each => [
    each.stream.name,
    String(each.rows),
    String(each.equal ?? 'not compared'),
    each.equal === undefined ? '' : String(each.found.length),
    String(each.checked?.resolved ?? ''),
    each.batchOpen ? 'yes' : 'no',
    readResultText(each.deadLetters, deadLetterCountText),
  ]);
  return tableText(
    ['stream', 'rows listed', 'ids equal', 'differed', 'resolved since', 'batch open', 'dead letters'],
    rows,
  );
}

function details(verified: VerifiedStream, limit: number): string[] {
  const { stream, unsendable, filtered, batchOpen, deadLetters, checked, ended } = verified;
  const hasDeadLetters = 'value' in deadLetters && deadLetters.value.count > 0;
  const moved = checked?.moved.length ?? 0;
  const notes: readonly (readonly [holds: boolean, note: string])[] = [
    [!ended, 'the API repeated a cursor instead of ending the list. Rows after it were not compared.'],
    [batchOpen, `a run was killed within a batch, which the next run finishes.`],
    [filtered > 0, `the filter excludes ${countText(filtered, 'row')} of the list, which are not sent to the SIEM.`],
    [unsendable > 0, `${countText(unsendable, 'row')} cannot become events: dead letters.`],
    [hasDeadLetters, 'the SIEM lacks the dead letters: "dead-letters list" shows them.'],
  ];

  const kinds = [...groupBy(lasting(verified), ({ kind }) => kind)].flatMap(([kind, all]) => [
    '',
    `  ${stream.name}: ${all.length} ${DIFFERENCE_KINDS[kind].text}`,
    ...all.slice(0, limit).map(each => `    ${nameOf(each)}`),
    ...(all.length > limit ? [`    and ${all.length - limit} more: --limit, or --json for all`] : []),
  ]);
  const meanwhile = `  ${moved} of them were sent again meanwhile, and single reads have other members. Verify again.`;
  return [
    ...kinds,
    ...(moved > 0 ? [meanwhile] : []),
    ...notes.filter(([holds]) => holds).map(([, note]) => `  ${stream.name}: ${note}`),
  ];
}

function nameOf({ id, key }: Difference): string {
  return id === undefined ? `an id with the hash ${key.slice(1)}` : JSON.stringify(id);
}

/** The commands that correct the differences, for example `resync assets threats`. */
function healingLines(streams: readonly VerifiedStream[]): string[] {
  const all = streams.flatMap(each => lasting(each).map(({ kind }) => ({ kind, stream: each.stream.name })));
  const commands = [...groupBy(all, ({ kind }) => DIFFERENCE_KINDS[kind].healedBy)].map(([command, of]) => {
    const [name, ...options] = command.split(' ');
    return [CONNECTORCTL.command, name, ...new Set(of.map(({ stream }) => stream)), ...options].join(' ');
  });
  return commands.length === 0 ? [] : ['', 'If they still differ after the next run, this heals them:', ...commands];
}

function streamJson(verified: VerifiedStream): object {
  const { rows, unsendable, filtered, equal, ended, found, batchOpen, deadLetters, checked } = verified;
  const moved = new Set(checked?.moved);
  return {
    rowsListed: rows,
    listEnded: ended,
    rowsThatCannotBeEvents: unsendable,
    rowsFiltered: filtered,
    idsEqual: equal ?? null,
    differed: found.length,
    resolvedSince: checked?.resolved ?? null,
    confirmed: found.length === 0 || checked !== undefined,
    differences: lasting(verified).map(each => ({
      id: each.id ?? null,
      ...(each.id === undefined && { hash: each.key.slice(1) }),
      kind: DIFFERENCE_KINDS[each.kind].text,
      healedBy: DIFFERENCE_KINDS[each.kind].healedBy,
      ...(moved.has(each) && { confirmed: false }),
    })),
    batchOpen,
    deadLetters: readResultJson(deadLetters),
  };
}

/** A number with its noun, for example `1 id` or `3 ids`. */
function countText(count: number, word: 'id' | 'row'): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
