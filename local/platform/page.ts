import type { Cursors } from './cursor.ts';
import { ProblemError } from './problem.ts';
import type { PlatformSettings } from './settings.ts';
import type { Entry } from './stream-log.ts';

/** A page of a stream before its rows are written. */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  readonly endpoint: string;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Cuts pages as the settings for short, empty and last pages say. */
export type PageCutter = <T extends Entry>(request: PageRequest, entriesAfter: (seq: number) => Iterable<T>) => Page<T>;

export function createPageCutter(
  cursors: Cursors,
  random: () => number,
  settings: Pick<PlatformSettings, 'endOfStream' | 'shortPages' | 'emptyPages'>,
): PageCutter {
  return ({ endpoint, limit, cursor }, entriesAfter) => {
    const start = cursor === undefined ? 0 : cursors.read(endpoint, cursor);
    if (settings.emptyPages > 0 && random() < settings.emptyPages) {
      const variant = 1 + Math.floor(random() * 2 ** 31);
      return { entries: [], nextCursor: cursors.write(endpoint, start, variant) };
    }
    const isShort = limit > 1 && settings.shortPages > 0 && random() < settings.shortPages;
    const size = isShort ? 1 + Math.floor(random() * (limit - 1)) : limit;
    const { taken, more } = take(entriesAfter(start), size);
    const last = taken.at(-1);
    if (last && (more || settings.endOfStream !== 'full-page-null')) {
      return { entries: taken, nextCursor: cursors.write(endpoint, last.seq) };
    }
    const idle = !last && settings.endOfStream === 'repeat-cursor' && cursor !== undefined;
    return { entries: taken, nextCursor: idle ? cursor : null };
  };
}

function take<T>(entries: Iterable<T>, size: number): { taken: T[]; more: boolean } {
  const taken: T[] = [];
  for (const entry of entries) {
    if (taken.length === size) return { taken, more: true };
    taken.push(entry);
  }
  return { taken, more: false };
}

/** Reads `limit`: 100 where absent, refused outside 1..500, never clamped. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return 100;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 500) {
    throw new ProblemError('request/invalid-limit', 'limit must be an integer from 1 to 500.');
  }
  return limit;
}
