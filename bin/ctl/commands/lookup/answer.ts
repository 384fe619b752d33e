/** The API's answer for an id, and whether the SIEM's copy is current. */

import { isUnconfirmed, openIntents } from '../../../../lambda/core/decide.ts';
import { ApiRefusedError, ContractError } from '../../../../lambda/core/errors.ts';
import { type Row, readRow, rowCut, singleRow } from '../../../../lambda/core/row.ts';
import type { FilterResult, RowState, SavedStream } from '../../../../lambda/ports.ts';
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

export function answerText(answer: Answer): string {
  if (answer.kind === 'refused') return `refused with ${answer.status} (${answer.type ?? 'without a known type'})`;
  if (answer.kind === 'unclear') return `not understood: ${answer.why}`;
  if (answer.kind === 'parent removed') {
    return `present, but its asset ${JSON.stringify(answer.parent)} is removed: no list includes it`;
  }

  const { row } = answer;
  const kind = row.deleted ? 'a tombstone' : 'present';
  return `${kind}, ${row.time ?? 'without a time'}${parentText(row.parent)}${FILTER_TEXTS[row.filter]}`;
}

const FILTER_TEXTS: Readonly<Record<FilterResult, string>> = {
  send: '',
  withhold: ', excluded by the filter',
  fault: ', sent because the filter gives no boolean for it',
};

export const LAST_SENT: Readonly<Record<RowState['status'], string>> = {
  live: 'a row',
  withheld: 'a withdrawal because of the filter, or nothing',
  removed: 'a removal',
};

export function parentText(parent: string | undefined): string {
  return parent === undefined ? '' : `, of asset ${JSON.stringify(parent)}`;
}

export interface Result {
  /** Whether the SIEM's copy is current. */
  readonly current: boolean;
  readonly meaning: string;
  readonly remedy?: string;
}

const LATER = `Repeat the command after the next run. If the result stays, use "${CONNECTORCTL.command} verify --repair".`;

export const RESULTS = {
  same: { current: true, meaning: 'The SIEM was sent the row that the API returns.' },
  removed: { current: true, meaning: 'The SIEM was sent the removal, and the API no longer has the row.' },
  filtered: { current: true, meaning: 'The filter excludes the row, and the SIEM does not have it.' },
  'not withdrawn': {
    current: false,
    meaning: 'The filter excludes the row, and the SIEM has it until the next run that reads it.',
    remedy: LATER,
  },
  'not removed': {
    current: false,
    meaning: 'The API no longer has the row, and the SIEM was not sent its removal.',
    remedy: LATER,
  },
  differs: { current: false, meaning: 'The SIEM was sent another version, or the removal.', remedy: LATER },
  'never sent': { current: false, meaning: 'The SIEM was never sent the row.', remedy: LATER },
  'not found': {
    current: false,
    meaning: 'The API does not have the row, and the SIEM was never sent it.',
    remedy: 'Check the id.',
  },
  'too large': {
    current: false,
    meaning: 'The row is too large. The SIEM was sent an oversize event, and the row is a dead letter.',
    remedy: `"${CONNECTORCTL.command} dead-letters list" shows it.`,
  },
  'awaits a replay': {
    current: false,
    meaning: 'The SIEM was sent the row before the last "resync --send-all", and not since.',
    remedy: LATER,
  },
  unconfirmed: {
    current: false,
    meaning: 'A run that was killed may have sent another version. The next run repairs that.',
  },
  unknown: { current: false, meaning: 'The row state or the answer of the API cannot be read.' },
} satisfies Readonly<Record<string, Result>>;

export type ResultWord = keyof typeof RESULTS;

/** @param stored row state, undefined if the id was never sent */
export function resultOf(answer: Answer, stored: RowState | undefined): ResultWord {
  if (answer.kind === 'unclear') return 'unknown';
  if (answer.kind === 'row' && answer.row.filter === 'withhold')
    return stored?.status === 'live' ? 'not withdrawn' : 'filtered';
  if (!stored) return answer.kind === 'row' && !answer.row.deleted ? 'never sent' : 'not found';
  const isLive = stored.status === 'live';
  if (answer.kind !== 'row') return isLive ? 'not removed' : 'removed';
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

export function isCurrent(result: ResultWord): boolean {
  return RESULTS[result].current;
}
