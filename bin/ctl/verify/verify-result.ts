/** What a verification says, for people and for machines. */
import { paint } from '../report/paint.ts';
import type { Outcome } from '../report/report.ts';
import { tableText } from '../report/table-text.ts';
import { readingJson, readingText } from '../status/reading.ts';
import { DIFFERENCES, type Difference, type DifferenceKind } from './difference.ts';
import type { Verification, VerifiedStream } from './verify.ts';

/** What lasts, or what was found where nothing was checked again. */
function lasting({ found, checked }: VerifiedStream): readonly Difference[] {
  return checked ? [...checked.confirmed, ...checked.moved] : found;
}

function isComplete(stream: VerifiedStream): boolean {
  const { unconfirmed, deadLetters } = stream;
  return lasting(stream).length === 0 && unconfirmed === 0 && 'value' in deadLetters && deadLetters.value.count === 0;
}

/** @param limit ids that are named of each stream */
export function verifyOutcome({ streams, paused }: Verification, limit: number): Outcome {
  const complete = streams.every(isComplete);
  // Counting proves nothing.
  const proven = complete && !streams.some(({ equal }) => equal !== undefined) ? null : complete;
  return {
    text: [
      headline(streams, { complete, paused }),
      ...(paused ? [PAUSED] : []),
      '',
      countsText(streams),
      ...streams.flatMap(each => details(each, limit)),
    ].join('\n'),
    json: {
      complete: proven,
      paused,
      streams: Object.fromEntries(streams.map(each => [each.stream.name, streamJson(each)])),
    },
    status: complete ? 0 : 3,
  };
}

const PAUSED =
  'The schedule is off. "npm run connectorctl -- run" starts a run now: verify again after it, and what differs still is not with the SIEM.';

function headline(
  streams: readonly VerifiedStream[],
  { complete, paused }: { readonly complete: boolean; readonly paused: boolean },
): string {
  const compared = streams.filter(({ equal }) => equal !== undefined);
  const equal = compared.reduce((sum, each) => sum + (each.equal ?? 0) + (each.checked?.resolved ?? 0), 0);
  if (compared.length === 0) return 'Counted; rows of this stream are not remembered one by one, so nothing is proven.';
  if (complete) return `${paint.good('Complete')}: ${rowsText(equal)} equal.`;
  const differing = compared.reduce((sum, each) => sum + lasting(each).length, 0);
  if (differing === 0)
    return `${paint.unconfirmed('Not complete')}: ${rowsText(equal)} equal; what the table says of others proves nothing.`;
  const unchecked = compared.some(({ found, checked }) => found.length > 0 && !checked);
  const since = paused ? 'the schedule is off' : 'no run has ended since';
  const sure = unchecked ? ` Not confirmed: ${since}, so they may only be on their way.` : '';
  return `${paint.bad('Differs')}: ${rowsText(differing)}; ${rowsText(equal)} equal.${sure}`;
}

function countsText(streams: readonly VerifiedStream[]): string {
  const rows = streams.map(each => [
    each.stream.name,
    String(each.rows),
    each.equal === undefined ? 'not compared' : String(each.equal),
    each.equal === undefined ? '' : String(each.found.length),
    each.checked ? String(each.checked.resolved) : '',
    String(each.unconfirmed),
    readingText(each.deadLetters, ({ count, more }) => `${count}${more ? ' or more' : ''}`),
  ]);
  return tableText(
    ['stream', 'rows listed', 'ids equal', 'differed', 'settled since', 'in doubt', 'dead letters'],
    rows,
  );
}

function details(stream: VerifiedStream, limit: number): string[] {
  const { unsendable, unconfirmed, deadLetters, checked, ended } = stream;
  const letters = 'value' in deadLetters && deadLetters.value.count > 0;
  return [
    ...kinds(stream).flatMap(([kind, differences]) => kindLines(stream, kind, differences, limit)),
    ...(checked && checked.moved.length > 0
      ? [
          `  ${checked.moved.length} of them have been sent anew meanwhile, and single reads carry other members: verify again.`,
        ]
      : []),
    ...(ended
      ? []
      : [
          `  ${stream.stream.name}: the API gave a cursor again instead of an end; what it holds behind that was not compared.`,
        ]),
    ...(unconfirmed > 0
      ? [
          `  ${stream.stream.name}: ${unconfirmed} ids may have been sent without being noted, by a run that was killed.`,
        ]
      : []),
    ...(unsendable > 0 ? [`  ${stream.stream.name}: ${rowsText(unsendable)} cannot be events: dead letters.`] : []),
    ...(letters
      ? [`  ${stream.stream.name}: dead letters are not with the SIEM as they are: "dead-letters list".`]
      : []),
  ];
}

function kinds(stream: VerifiedStream): [DifferenceKind, Difference[]][] {
  return [...Map.groupBy(lasting(stream), each => each.kind)];
}

function kindLines({ stream }: VerifiedStream, kind: DifferenceKind, all: Difference[], limit: number): string[] {
  const shown = all.slice(0, limit).map(each => `    ${nameOf(each)}`);
  const more = all.length > limit ? [`    and ${all.length - limit} more: --limit, or --json for all`] : [];
  return ['', `  ${stream.name}: ${all.length} ${DIFFERENCES[kind]}`, ...shown, ...more];
}

function nameOf({ id, key }: Difference): string {
  return id === undefined ? `an id of the hash ${key.slice(1)}` : JSON.stringify(id);
}

function streamJson(stream: VerifiedStream): object {
  const { rows, unsendable, equal, ended, found, unconfirmed, deadLetters, checked } = stream;
  const moved = new Set(checked?.moved);
  return {
    rowsListed: rows,
    listEnded: ended,
    rowsThatCannotBeEvents: unsendable,
    idsEqual: equal ?? null,
    differed: found.length,
    settledSince: checked?.resolved ?? null,
    confirmed: found.length === 0 || checked !== undefined,
    differences: lasting(stream).map(each => ({
      id: each.id ?? null,
      ...(each.id === undefined && { hash: each.key.slice(1) }),
      kind: DIFFERENCES[each.kind],
      ...(moved.has(each) && { confirmed: false }),
    })),
    unconfirmedIds: unconfirmed,
    deadLetters: readingJson(deadLetters),
  };
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}
