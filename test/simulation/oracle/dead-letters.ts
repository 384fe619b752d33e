/** Dead letters in the bucket: what they keep from being lost, and which of them may stay. */

import type { StreamName } from '../../../lambda/streams.ts';
import type { Truth } from '../../../local/platform/truth.ts';
import { content } from '../../../local/siem/lossless.ts';
import { type Copy, copyOf, greatestSequence, keyOf, type ReceivedEvent } from '../../support/siem.ts';
import type { Observation } from './observation.ts';

type Stored = ReadonlyMap<string, DeadLetter>;

/** Nothing is lost: what the SIEM's copy lacks of the truth is in the bucket. */
export function lostDespiteDeadLetters({ events, lostBefore }: Observation, truth: Truth, stored: Stored): string[] {
  const copy = copyOf(
    events.filter(({ stream, at }) => at >= (lostBefore.get(stream) ?? 0)),
    greatestSequence,
  );
  const contents = contentsOf(truth);
  const kept = new Set([...stored.values()].map(deadLetter => `${deadLetter.row} ${deadLetter.content}`));
  const lost = [...contents].filter(([key, right]) => !isSafe(key, right, copy, kept));
  return [
    ...lost.map(([key, right]) => `Neither the SIEM nor a dead letter has ${key}: ${right}`),
    ...ghosts(copy, contents, kept).map(line => `No dead letter says that this is gone: ${line}`),
  ];
}

function isSafe(key: string, right: string, copy: Copy, kept: ReadonlySet<string>): boolean {
  if (kept.has(`${key} ${right}`)) return true;
  const held = copy.get(key);
  // The tombstone of an asset that the SIEM never had is not for it.
  return held ? held.content === right : right.includes('"deleted":true');
}

/** A threat stays live in the copy while the tombstone of its asset is a dead letter. */
function ghosts(copy: Copy, contents: ReadonlyMap<string, string>, kept: ReadonlySet<string>): string[] {
  return [...copy].flatMap(([key, { kind, parent = '', line }]) => {
    const asset = keyOf('assets', parent);
    const isGhost = !contents.has(key) && kind !== 'withdrawn' && !kept.has(`${asset} ${contents.get(asset)}`);
    return isGhost ? [line] : [];
  });
}

/**
 * A dead letter that was redriven by code that can send it stays for two reasons: the API does not return its row, or the states do not
 * say what the SIEM has.
 */
export function keptWithoutCause({ disturbances }: Observation, truth: Truth, stored: Stored): string[] {
  const contents = contentsOf(truth);
  const wrongly = [...stored.values()].filter(({ row, reason, content: kept }) => {
    const right = row && contents.get(row);
    if (row === undefined || right?.includes('"deleted":true')) return false;
    return kept === right || (disturbances.length === 0 && (right !== undefined || reason === 'oversize'));
  });
  return wrongly.map(({ body }) => `A dead letter is kept without a cause: ${body}`);
}

/** Whether a dead letter still holds what is true now. Then only a resync brings it to the SIEM. */
export function isOutdated({ events }: Observation, truth: Truth, stored: Stored): boolean {
  const contents = contentsOf(truth);
  const isTrue = ({ row, content: kept }: DeadLetter) => row !== undefined && contents.get(row) === kept;
  if ([...stored.values()].some(isTrue)) return true;
  return [...copyOf(events, greatestSequence).values()].some(({ kind }) => kind === 'oversize');
}

/** By stream and id. */
function contentsOf(truth: Truth): Map<string, string> {
  const entries = Object.entries(truth).flatMap(([stream, rows]) =>
    [...rows].map(([id, row]) => [keyOf(stream, id), content(row)] as const),
  );
  return new Map(entries);
}

/** A dead letter as it is in the bucket, read without a look at the connector's own reader. */

export interface DeadLetter {
  readonly body: string;
  readonly reason: string;
  readonly stream: StreamName;
  /** Stream and id; nothing where the row has no id. */
  readonly row: string | undefined;
  readonly content: string;
  readonly position: string | null;
  readonly deleted: boolean;
}

export function readDeadLetter(body: string): DeadLetter {
  const { reason, stream, row } = JSON.parse(body);
  return {
    body,
    reason,
    stream,
    row: typeof row.id === 'string' ? keyOf(stream, row.id) : undefined,
    content: content(body.slice(body.indexOf(',"row":') + ',"row":'.length, body.lastIndexOf('}'))),
    position: row.stream_position ?? null,
    deleted: row.deleted === true,
  };
}

/** Key of the dead letter that an `oversize` event points to. */
export function deadLetterOf({ kind, line }: ReceivedEvent): string | undefined {
  return kind === 'oversize' ? /"dead_letter":"s3:\/\/[^/"]+\/([^"]+)"/.exec(line)?.[1] : undefined;
}
