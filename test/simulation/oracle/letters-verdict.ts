/** What dead letters are good for while they lie in the bucket, and which of them may stay there for good. */
import type { Truth } from '../../../local/platform/truth.ts';
import type { Letter } from './letter.ts';
import { content } from './lossless.ts';
import type { Observation } from './observation.ts';
import { type Copy, copyOf, greatestSequence, keyOf } from './siem.ts';

type Lying = ReadonlyMap<string, Letter>;

/** Nothing is lost: what the SIEM's copy lacks of the truth lies in the bucket. */
export function lostDespiteLetters({ events, lostBefore }: Observation, truth: Truth, lying: Lying): string[] {
  const copy = copyOf(
    events.filter(({ stream, at }) => at >= (lostBefore.get(stream) ?? 0)),
    greatestSequence,
  );
  const contents = contentsOf(truth);
  const kept = new Set([...lying.values()].map(deadLetter => `${deadLetter.row} ${deadLetter.content}`));
  const lost = [...contents].filter(([key, right]) => !isSafe(key, right, copy, kept));
  return [
    ...lost.map(([key, right]) => `Neither the SIEM nor a letter has ${key}: ${right}`),
    ...ghosts(copy, contents, kept).map(line => `No letter tells that this is gone: ${line}`),
  ];
}

function isSafe(key: string, right: string, copy: Copy, kept: ReadonlySet<string>): boolean {
  if (kept.has(`${key} ${right}`)) return true;
  const held = copy.get(key);
  // The tombstone of an asset that the SIEM never had is not for it.
  return held ? held.content === right : right.includes('"deleted":true');
}

/** A threat stays live in the copy while the tombstone of its asset is a letter. */
function ghosts(copy: Copy, contents: ReadonlyMap<string, string>, kept: ReadonlySet<string>): string[] {
  return [...copy].flatMap(([key, { kind, parent = '', line }]) => {
    const asset = keyOf('assets', parent);
    const isGhost = !contents.has(key) && kind !== 'withdrawn' && !kept.has(`${asset} ${contents.get(asset)}`);
    return isGhost ? [line] : [];
  });
}

/**
 * A letter that was tried again by code that can send it stays only where nothing can be said of its row: the API does not
 * give it, or the states do not tell what the SIEM has.
 */
export function keptWithoutCause({ disturbances }: Observation, truth: Truth, lying: Lying): string[] {
  const contents = contentsOf(truth);
  const wrongly = [...lying.values()].filter(({ row, reason, content: kept }) => {
    const right = row && contents.get(row);
    if (row === undefined || right?.includes('"deleted":true')) return false;
    return kept === right || (disturbances.length === 0 && (right !== undefined || reason === 'oversize'));
  });
  return wrongly.map(({ body }) => `A letter is kept without a cause: ${body}`);
}

/** Whether what is true now lies among the letters still, so that only reading the stream anew brings it to the SIEM. */
export function isOutdated({ events }: Observation, truth: Truth, lying: Lying): boolean {
  const contents = contentsOf(truth);
  const isTrue = ({ row, content: kept }: Letter) => row !== undefined && contents.get(row) === kept;
  if ([...lying.values()].some(isTrue)) return true;
  return [...copyOf(events, greatestSequence).values()].some(({ kind }) => kind === 'oversize');
}

/** By stream and id. */
function contentsOf(truth: Truth): Map<string, string> {
  const entries = Object.entries(truth).flatMap(([stream, rows]) =>
    [...rows].map(([id, row]) => [keyOf(stream, id), content(row)] as const),
  );
  return new Map(entries);
}
