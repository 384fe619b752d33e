/** Realistic rows and list answers of the three streams: assets and threats of about 0.9 kB, DNS blocks of 0.3 kB. */
import { generatedMembers } from '../local/platform/sample-rows.ts';

export type BenchStream = 'assets' | 'threats' | 'dns-blocks';

export const PAGE_ROWS = 500;
const SEED = 20_261_120;
const START = Date.UTC(2026, 10, 20);
const THREATS_PER_ASSET = 4;

export function rowId(stream: BenchStream, index: number): string {
  return `${stream}-${String(index).padStart(8, '0')}`;
}

/** @param version rises with every change of the row's content */
export function rowText(stream: BenchStream, index: number, version = 0): string {
  const id = rowId(stream, index);
  const members = generatedMembers(stream, SEED + version, index);
  const time = new Date(START + index).toISOString();
  if (stream === 'dns-blocks') return `{"id":"${id}","blocked_at":"${time}",${members}}`;
  const owner = stream === 'threats' ? `"asset_id":"${rowId('assets', Math.floor(index / THREATS_PER_ASSET))}",` : '';
  const deleted = stream === 'assets' ? '"deleted":false,' : '';
  return `{"id":"${id}","updated_at":"${time}","stream_position":"${time}#${version}",${deleted}${owner}${members}}`;
}

export function pageOfRows(stream: BenchStream, page: number, version = 0): string[] {
  return Array.from({ length: PAGE_ROWS }, (_, index) => rowText(stream, page * PAGE_ROWS + index, version));
}

/** A list answer, as it comes over the wire. */
export function answerBytes(rows: readonly string[], nextCursor: string | null): Uint8Array<ArrayBuffer> {
  const pagination = JSON.stringify({ next_cursor: nextCursor, page_size: rows.length });
  return Uint8Array.from(Buffer.from(`{"data":[${rows.join(',')}],"pagination":${pagination}}`));
}

/** Rows as texts of their own, as if each had been read from a file: the floor must not pay for our page. */
export function flatCopies(rows: readonly string[]): string[] {
  return rows.map(row => Buffer.from(row).toString());
}
