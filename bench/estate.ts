/** Streams of pages behind a list path, as the simulated API serves them. */
import { answerBytes, type BenchStream, pageOfRows } from './rows.ts';

export interface Placement {
  /** Of the rows' contents. */
  readonly version?: number;
  /** Number of the first page, for its cursors. */
  readonly place?: number;
}

/** A stream of so many pages; the last one ends with null and is answered again whenever it is asked for. */
export function pagesOf(stream: BenchStream, count: number, { version = 0, place = 0 }: Placement = {}) {
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
