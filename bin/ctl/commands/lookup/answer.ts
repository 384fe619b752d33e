/** Asks the API for the row with an id. */
import { ApiRefusedError, ContractError } from '../../../../lambda/core/errors.ts';
import { membersToCut, type Row, readRow, singleRow } from '../../../../lambda/core/row.ts';
import type { FilterResult } from '../../../../lambda/ports.ts';
import type { SyncedStream } from '../../../../lambda/streams.ts';
import { sha256 } from '../../../../lambda/system.ts';
import type { ConnectorAccess } from '../../access.ts';
import { printedMessage } from '../../errors.ts';

export type RowAnswer =
  | { readonly kind: 'row'; readonly row: Row }
  /**
   * The specification does not say how the API answers an unknown id, so any refusal counts as a
   * missing row, and its status is shown.
   */
  | { readonly kind: 'refused'; readonly status: number; readonly type: string | undefined }
  /**
   * A threat whose asset is removed. Lists omit such a threat, even if a single read returns it.
   */
  | { readonly kind: 'asset removed'; readonly assetId: string }
  /** An answer without the row of this id, or an id for which there is no request. */
  | { readonly kind: 'unclear'; readonly why: string };

export type RefusedOrUnclearAnswer = Extract<RowAnswer, { kind: 'refused' | 'unclear' }>;

/** @throws the errors of the API's client, except for a refusal */
export async function askForRow(access: ConnectorAccess, stream: SyncedStream, id: string): Promise<RowAnswer> {
  const answer = await readSingle(access, stream, id);
  const cascadesFrom = 'cascadesFrom' in stream ? stream.cascadesFrom : undefined;
  const assets = access.streams.find(({ name }) => name === cascadesFrom);
  if (answer.kind !== 'row' || answer.row.parent === undefined || !assets) return answer;

  const { parent: assetId } = answer.row;
  const asset = await readSingle(access, assets, assetId);
  const isRemoved = isRowGone(asset) || (asset.kind === 'row' && asset.row.deleted);
  return isRemoved ? { kind: 'asset removed', assetId } : answer;
}

/** Whether the answer means that no list contains the row any more. */
export function isRowGone({ kind }: RowAnswer): boolean {
  return kind === 'refused' || kind === 'asset removed';
}

function readSingle(access: ConnectorAccess, stream: SyncedStream, id: string): Promise<RowAnswer> {
  return answerOrRefusal(async () => {
    const text = await access.api.single({ path: stream.path, id });
    const cut = membersToCut(stream, access.settings.threatAssetField);
    const row = readRow(singleRow(text, stream.path, cut), stream, sha256);
    if ('reason' in row) return { kind: 'unclear', why: `the answer is not a row (${row.reason})` };
    return row.id === id ? { kind: 'row', row } : { kind: 'unclear', why: 'the answer has another id' };
  });
}

/** Maps API errors, malformed rows, and ids that no path can hold, such as `..`, to an answer. */
export async function answerOrRefusal<T>(ask: () => Promise<T>): Promise<T | RefusedOrUnclearAnswer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ApiRefusedError) return { kind: 'refused', status: error.status, type: error.type };
    if (error instanceof ContractError || error instanceof RangeError) {
      return { kind: 'unclear', why: printedMessage(error).split('\n')[0]! };
    }
    throw error;
  }
}

export function rowAnswerText(answer: RowAnswer): string {
  if (answer.kind === 'refused') return `refused with ${answer.status} (${answer.type ?? 'without a known type'})`;
  if (answer.kind === 'unclear') return `not understood: ${answer.why}`;
  if (answer.kind === 'asset removed') {
    return `present, but its asset ${JSON.stringify(answer.assetId)} is removed: no list includes it`;
  }

  const { deleted, time, parent: assetId, filter } = answer.row;
  return `${deleted ? 'a tombstone' : 'present'}, ${time ?? 'without a time'}${assetText(assetId)}${FILTER_TEXTS[filter]}`;
}

const FILTER_TEXTS: Readonly<Record<FilterResult, string>> = {
  send: '',
  filtered: ', filtered',
  error: ', sent because the filter did not return a boolean',
};

export function assetText(assetId: string | undefined): string {
  return assetId === undefined ? '' : `, of asset ${JSON.stringify(assetId)}`;
}
