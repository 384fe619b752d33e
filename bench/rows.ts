/** Makes rows of realistic size: assets and threats have about 0.9 kB, DNS blocks 0.3 kB. */
import { generatedMembers } from '../local/api-simulator/seed.ts';

export const STREAM_NAMES = ['assets', 'threats', 'dns-blocks'] as const;
export type BenchStream = (typeof STREAM_NAMES)[number];

export const PAGE_ROWS = 500;
const SEED = 20_261_120;
const START = Date.UTC(2026, 10, 20);
export const THREATS_PER_ASSET = 4;

/** One delivery of a row. Each version of the row has different content. */
export interface DeliveredRow {
  readonly index: number;
  readonly version?: number;
}

export function rowText(stream: BenchStream, { index, version = 0 }: DeliveredRow): string {
  const id = rowId(stream, index);
  const time = new Date(START + index).toISOString();
  const position = `"stream_position":"${time}#${version}"`;
  const members = generatedMembers(stream, SEED + version, index);
  if (stream === 'dns-blocks') return `{"id":"${id}","blocked_at":"${time}",${members}}`;
  const asset = stream === 'threats' ? `"asset_id":"${rowId('assets', Math.floor(index / THREATS_PER_ASSET))}",` : '';
  const deleted = stream === 'assets' ? '"deleted":false,' : '';
  return `{"id":"${id}","updated_at":"${time}",${position},${deleted}${asset}${members}}`;
}

function rowId(stream: BenchStream, index: number): string {
  return `${stream}-${String(index).padStart(8, '0')}`;
}

/** Makes a list answer, as it comes over the wire. */
export function answerBytes(rows: readonly string[], nextCursor: string | null): Uint8Array<ArrayBuffer> {
  const pagination = JSON.stringify({ next_cursor: nextCursor, page_size: rows.length });
  return Uint8Array.from(Buffer.from(`{"data":[${rows.join(',')}],"pagination":${pagination}}`));
}
