/** What the API says of one id now. */

import { ApiRefusedError, ContractError } from '../../../lambda/core/errors.ts';
import { type Row, readRow, rowCut, singleRow } from '../../../lambda/core/row.ts';
import { pathSegment } from '../../../lambda/source/api.ts';
import type { SyncedStream } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';
import type { Access } from '../access/access.ts';
import { messageOf, RefusedError } from '../errors.ts';

export type Answer =
  | { readonly kind: 'row'; readonly row: Row }
  /** What the API answers for an unknown id is not specified, so its refusal is told and not interpreted. */
  | { readonly kind: 'refused'; readonly status: number; readonly type: string | undefined }
  /** It answered with a row whose owner is removed: lists do not show it any more, whatever a single read does. */
  | { readonly kind: 'vanished'; readonly parent: string }
  /** It answered, but not with the row of this id. */
  | { readonly kind: 'unclear'; readonly why: string };

/** What the API says of what it has no row of. */
export type Untold = Extract<Answer, { kind: 'refused' | 'unclear' }>;

/** @throws RefusedError when no path can hold the id; as the API's client does for anything but a refusal */
export async function askForRow(access: Access, stream: SyncedStream, id: string): Promise<Answer> {
  const answer = await readSingle(access, stream, id);
  const cascadesFrom = 'cascadesFrom' in stream ? stream.cascadesFrom : undefined;
  const parents = access.streams.find(({ name }) => name === cascadesFrom);
  if (answer.kind !== 'row' || answer.row.parent === undefined || !parents || !isAskable(answer.row.parent))
    return answer;
  const { parent } = answer.row;
  const parentAnswer = await readSingle(access, parents, parent);
  const isRemoved = isGone(parentAnswer) || (parentAnswer.kind === 'row' && parentAnswer.row.deleted);
  return isRemoved ? { kind: 'vanished', parent } : answer;
}

/** Whether the API has the row no more, as far as its answer says. */
export function isGone({ kind }: Answer): boolean {
  return kind === 'refused' || kind === 'vanished';
}

function isAskable(id: string): boolean {
  try {
    return pathSegment(id) !== '';
  } catch {
    return false;
  }
}

function readSingle(access: Access, stream: SyncedStream, id: string): Promise<Answer> {
  return told(async () => {
    const text = await access.api.single({ path: stream.path, id });
    const cut = rowCut(stream, access.settings.threatAssetField);
    const row = readRow(singleRow(text, stream.path, cut), stream, sha256);
    if ('reason' in row) return { kind: 'unclear', why: `the answer is no row (${row.reason})` };
    return row.id === id ? { kind: 'row', row } : { kind: 'unclear', why: 'the answer bears another id' };
  });
}

/** Turns a refusal, which is an answer, into one; so with what is no row. */
export async function told<T>(ask: () => Promise<T>): Promise<T | Untold> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiRefusedError) return { kind: 'refused', status: error.status, type: error.type };
    if (error instanceof ContractError) return { kind: 'unclear', why: messageOf(error).split('\n')[0]! };
    throw error;
  }
}

/** @throws RefusedError when no path can hold the id */
export function checkAskable(id: string): void {
  try {
    pathSegment(id);
  } catch (cause) {
    const shown = id === '' ? 'An empty id' : `The id ${JSON.stringify(id)}`;
    throw new RefusedError(`${shown} cannot stand in a path of the API, so it cannot be asked for. Nothing was done.`, {
      cause,
    });
  }
}
