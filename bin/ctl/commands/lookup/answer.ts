/** The API's answer for an id, and whether the SIEM has the same. */

import { isUnconfirmed, openIntents } from '../../../../lambda/core/decide.ts';
import { ApiRefusedError, ContractError } from '../../../../lambda/core/errors.ts';
import { type Row, readRow, rowCut, singleRow } from '../../../../lambda/core/row.ts';
import type { RowState, SavedStream } from '../../../../lambda/ports.ts';
import { pathSegment } from '../../../../lambda/source/api.ts';
import type { SyncedStream } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import { CONNECTORCTL } from '../../../../lib/installation.ts';
import type { Access } from '../../access.ts';
import { messageOf, RefusedError } from '../../errors.ts';

export type Answer =
  | { readonly kind: 'row'; readonly row: Row }
  /** The answer to an unknown id is not specified, so the status is shown and not interpreted. */
  | { readonly kind: 'refused'; readonly status: number; readonly type: string | undefined }
  /** A row whose parent is removed. Lists omit it, even if a single read returns it. */
  | { readonly kind: 'parent removed'; readonly parent: string }
  /** An answer without the row of this id. */
  | { readonly kind: 'unclear'; readonly why: string };

export type NoRow = Extract<Answer, { kind: 'refused' | 'unclear' }>;

/** @throws as the API's client does, except for a refusal */
export async function askForRow(access: Access, stream: SyncedStream, id: string): Promise<Answer> {
  const answer = await readSingle(access, stream, id);
  const cascadesFrom = 'cascadesFrom' in stream ? stream.cascadesFrom : undefined;
  const parents = access.streams.find(({ name }) => name === cascadesFrom);
  if (answer.kind !== 'row' || answer.row.parent === undefined || !parents || !isAskable(answer.row.parent))
    return answer;
  const { parent } = answer.row;
  const parentAnswer = await readSingle(access, parents, parent);
  const isRemoved = isGone(parentAnswer) || (parentAnswer.kind === 'row' && parentAnswer.row.deleted);
  return isRemoved ? { kind: 'parent removed', parent } : answer;
}

/** Whether the answer says that the row no longer exists. */
export function isGone({ kind }: Answer): boolean {
  return kind === 'refused' || kind === 'parent removed';
}

function isAskable(id: string): boolean {
  try {
    return pathSegment(id) !== '';
  } catch {
    return false;
  }
}

function readSingle(access: Access, stream: SyncedStream, id: string): Promise<Answer> {
  return answerOrRefusal(async () => {
    const text = await access.api.single({ path: stream.path, id });
    const cut = rowCut(stream, access.settings.threatAssetField);
    const row = readRow(singleRow(text, stream.path, cut), stream, sha256);
    if ('reason' in row) return { kind: 'unclear', why: `the answer is not a row (${row.reason})` };
    return row.id === id ? { kind: 'row', row } : { kind: 'unclear', why: 'the answer has another id' };
  });
}

/** Maps API errors and malformed rows to an answer. */
export async function answerOrRefusal<T>(ask: () => Promise<T>): Promise<T | NoRow> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiRefusedError) return { kind: 'refused', status: error.status, type: error.type };
    if (error instanceof ContractError) return { kind: 'unclear', why: messageOf(error).split('\n')[0]! };
    throw error;
  }
}

/** @throws RefusedError if the id cannot be part of a path */
export function checkAskable(id: string): void {
  if (isAskable(id)) return;
  const shown = id === '' ? 'An empty id' : `The id ${JSON.stringify(id)}`;
  throw new RefusedError(`${shown} cannot be part of a path of the API. Nothing was done.`);
}

/** The result of a lookup, and what it means. */
export const RESULTS = {
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
} as const;

export type ResultWord = keyof typeof RESULTS;

/** @param stored row state, undefined if the id was never sent */
export function resultOf(answer: Answer, stored: RowState | undefined): ResultWord {
  if (answer.kind === 'unclear') return 'unknown';
  if (answer.kind === 'row' && answer.row.filter === 'withhold')
    return stored?.status === 'live' ? 'not withdrawn' : 'excluded by the filter';
  if (!stored) return 'never sent';
  const isLive = stored.status === 'live';
  if (answer.kind !== 'row') return isLive ? 'sent and gone from the API' : 'removed';
  if (isLive === answer.row.deleted) return 'differs';
  // The SIEM never had the row, so the tombstone is not sent.
  if (stored.rowHash === '') return 'removed';
  if (stored.rowHash !== answer.row.rowHash) return 'differs';
  return isLive ? 'same' : 'removed';
}

/** @returns undefined if the row state can be relied on */
export function unconfirmedFor(
  id: string,
  stored: RowState | undefined,
  saved: SavedStream | Error | undefined,
): ResultWord | undefined {
  if (!saved) return undefined;
  if (saved instanceof Error) return 'unknown';
  const { generation } = saved.checkpoint;
  if (stored && stored.generation < generation && stored.status === 'live') return 'awaits a replay';
  return isUnconfirmed(openIntents(saved), id) ? 'unconfirmed' : undefined;
}

/** Whether the SIEM has what the API has. */
export function isTrue(result: ResultWord): boolean {
  return result === 'same' || result === 'removed' || result === 'excluded by the filter';
}
