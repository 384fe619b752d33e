import { type CutElement, cutBody } from '../../../lambda/core/json/cutter.ts';
import { type BadRow, membersToCut, type Row, readRow } from '../../../lambda/core/row.ts';
import { STREAMS } from '../../../lambda/streams.ts';
import { sha256 } from '../../../lambda/system.ts';

export const [ASSETS, THREATS, DNS_BLOCKS] = STREAMS;
export type AnyStream = (typeof STREAMS)[number];

export const CONTEXT = {
  connector: 'acme',
  forwardedAt: '2026-11-20T09:15:00.412Z',
  tableId: 'table',
  hash: sha256,
};

/** The elements of a page. */
export function elementsOf(
  texts: readonly string[],
  stream: AnyStream,
  parentMember = 'asset_id',
): readonly CutElement[] {
  const body = Buffer.from(`{"rows":[${texts.join(',')}]}`);
  const [rows] = cutBody(body, membersToCut(stream, parentMember));
  return rows!.elements!;
}

/** The row of a text, as the walk would read it. */
export function readText(text: string, stream: AnyStream = ASSETS, parentMember?: string): Row | BadRow {
  return readRow(elementsOf([text], stream, parentMember)[0]!, stream, sha256);
}

/** The row of a text, which must be good. */
export function rowOf(text: string, stream: AnyStream = ASSETS, parentMember?: string): Row {
  const row = readText(text, stream, parentMember);
  if ('reason' in row) throw new Error(`A bad row: ${row.reason}`);
  return row;
}
