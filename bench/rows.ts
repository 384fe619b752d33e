/** Realistic rows, pages and list answers of the three streams. Assets and threats have about 0.9 kB, DNS blocks 0.3 kB. */
import { generatedMembers } from '../local/platform/seed.ts';

export const STREAM_NAMES = ['assets', 'threats', 'dns-blocks'] as const;
export type BenchStream = (typeof STREAM_NAMES)[number];
/** Share of each stream in the rows of a backfill. */
export const SHARES: Readonly<Record<BenchStream, number>> = { assets: 0.2, threats: 0.5, 'dns-blocks': 0.3 };

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
  const asset = stream === 'threats' ? `"asset_id":"${rowId('assets', Math.floor(index / THREATS_PER_ASSET))}",` : '';
  const deleted = stream === 'assets' ? '"deleted":false,' : '';
  return `{"id":"${id}","updated_at":"${time}","stream_position":"${time}#${version}",${deleted}${asset}${members}}`;
}

export function pageOfRows(stream: BenchStream, page: number, version = 0): string[] {
  return Array.from({ length: PAGE_ROWS }, (_, index) => rowText(stream, page * PAGE_ROWS + index, version));
}

/** A list answer, as it comes over the wire. */
export function answerBytes(rows: readonly string[], nextCursor: string | null): Uint8Array<ArrayBuffer> {
  const pagination = JSON.stringify({ next_cursor: nextCursor, page_size: rows.length });
  return Uint8Array.from(Buffer.from(`{"data":[${rows.join(',')}],"pagination":${pagination}}`));
}

/** Rows as flat strings, as if each had been read from a file, so that the floor does not pay for slices of our page. */
export function flatCopies(rows: readonly string[]): string[] {
  return rows.map(row => Buffer.from(row).toString());
}

/**
 * The pages of a stream. The last one ends with null, and every later poll gets it again.
 *
 * @param place number of the first page, for its cursors
 */
export function pagesOf(stream: BenchStream, count: number, { version = 0, place = 0 } = {}) {
  return Array.from({ length: count }, (_, page) =>
    answerBytes(pageOfRows(stream, page, version), page + 1 < count ? cursorOf(place + page + 1) : null),
  );
}

/** Answers by path and cursor from ready-made pages. */
export function servePages(streams: Partial<Record<BenchStream, readonly Uint8Array<ArrayBuffer>[]>>) {
  return (path: string, cursor: string | null): Uint8Array<ArrayBuffer> => {
    const pages = streams[streamOf(path)] ?? [];
    return pages[pageNumber(cursor)] ?? answerBytes([], null);
  };
}

export function streamOf(path: string): BenchStream {
  return path.slice(path.lastIndexOf('/') + 1) as BenchStream;
}

export function cursorOf(page: number): string {
  return `page ${page}`;
}

export function pageNumber(cursor: string | null): number {
  return cursor === null ? 0 : Number(cursor.slice('page '.length));
}
