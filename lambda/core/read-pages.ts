/**
 * Walks over one stream, page after page. Each page is requested with the cursor of the page before
 * it, and is fetched while that page is processed.
 */
import type { Clock, Hash, MemberNames, PageSource } from '../ports.ts';
import {
  ContractError,
  CursorRefusedError,
  JsonError,
  LOOP_LEFT,
  PageTimeoutError,
  PageTooLargeError,
} from './errors.ts';
import { FollowedCursors } from './followed.ts';
import type { CutElement } from './json/cutter.ts';
import { type PageRules, parsePage } from './page.ts';
import { backoff } from './retry.ts';
import type { BadRow, Row } from './row.ts';

export interface ReadPagesOptions {
  readonly source: PageSource;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly path: string;
  readonly cut: PageRules['cut'];
  /**
   * Reads an element of the row array. The element itself is not kept, because it holds the row
   * twice.
   */
  readonly read: (element: CutElement) => Row | BadRow;
  /** Cursor of the first page. Absent when the walk starts at the beginning; never null. */
  readonly cursor: string | undefined;
  /** Cursor that is tried first when the API refuses `cursor`. */
  readonly previous: string | undefined;
  /**
   * Whether a page that leads to `previous` closes a circle that was read before.
   *
   * @default false
   */
  readonly isCircleKnown?: boolean;
  /**
   * Whether a refused cursor is replaced by an earlier cursor, or by the beginning. @default true
   */
  readonly rewinds?: boolean;
  /** Whether the next page is fetched while the current page is processed. @default true */
  readonly ahead?: boolean;
  readonly limit: number;
  readonly configuredNames: MemberNames;
  readonly learnedNames: MemberNames;
  readonly signal: AbortSignal;
  /** Called for each answer 400 request/invalid-cursor. */
  readonly onRefusedCursor: () => void;
}

export interface ReadPage {
  readonly rows: readonly (Row | BadRow)[];
  /** Cursor with which this page was requested. */
  readonly sent: string | undefined;
  /** Cursor of the next page; null at the end of the stream. */
  readonly next: string | null;
  /**
   * Whether the API refused the cursor that was due, so that this page was read with an earlier
   * cursor or from the beginning.
   */
  readonly rewound: boolean;
  /**
   * Whether the walk has already followed the next cursor. The walk then ends, because that cursor
   * leads only to pages that it has read.
   */
  readonly repeats: boolean;
  readonly names: MemberNames;
  /** Size of the answer, in bytes. */
  readonly bytes: number;
}

const NOT_JSON_TRIES = 3;

/**
 * Yields pages until `next_cursor` is null, or is a cursor that this walk has already followed. The
 * loop may be left early.
 */
export async function* readPages(options: ReadPagesOptions): AsyncGenerator<ReadPage, void, void> {
  const left = new AbortController();
  const walker = new Walker({ ...options, signal: AbortSignal.any([options.signal, left.signal]) });
  let fetched = walker.fetch(options.cursor);
  try {
    for (;;) {
      const page = await fetched;
      if (page.next === null || page.repeats) return yield page;
      const next = page.next;
      if (options.ahead === false) {
        yield page;
        fetched = walker.fetch(next);
      } else {
        fetched = walker.fetch(next);
        // An error of the fetch is thrown when the page is awaited. If the loop is left early,
        // nobody awaits the page.
        fetched.catch(() => undefined);
        await options.source.yieldToRequests?.();
        yield page;
      }
    }
  } finally {
    // The page that was fetched ahead is aborted, because no request may outlive the walk.
    left.abort(LOOP_LEFT);
    await fetched.catch(() => undefined);
  }
}

/**
 * Whether the stream has no further rows. Some APIs answer a poll that has caught up with an empty
 * page and the cursor of the request. Any other cursor that is repeated does not mark the end,
 * because it may hide rows that no walk can reach.
 */
export function isEndOfStream({ rows, sent, next }: ReadPage): boolean {
  return next === null || (rows.length === 0 && next === sent);
}

class Walker {
  readonly #options: ReadPagesOptions;
  readonly #followed: FollowedCursors;
  #fallbacks: (string | undefined)[];
  #limit: number;
  /** Number of consecutive answers that were not JSON. */
  #notJson = 0;
  #learned: MemberNames;

  constructor(options: ReadPagesOptions) {
    this.#options = options;
    this.#limit = options.limit;
    this.#learned = options.learnedNames;
    this.#followed = new FollowedCursors(options.hash);
    if (options.isCircleKnown && options.previous !== undefined) this.#followed.add(options.previous);
    this.#fallbacks = options.rewinds === false ? [] : [options.previous, undefined];
  }

  async fetch(cursor: string | undefined): Promise<ReadPage> {
    let sent = cursor;
    let rewound = false;
    for (;;) {
      try {
        return { ...(await this.#read(sent)), rewound };
      } catch (error) {
        if (this.#asksForLess(error) || (await this.#asksAgain(error))) continue;
        if (!(error instanceof CursorRefusedError) || sent === undefined) throw error;
        sent = this.#fallback(sent, error);
        rewound = true;
        // The walk goes back, so it may meet cursors again that it has followed.
        this.#followed.clear();
      }
    }
  }

  async #read(sent: string | undefined): Promise<Omit<ReadPage, 'rewound'>> {
    const { source, path, cut, signal, configuredNames: configured } = this.#options;
    const limit = this.#limit;
    const body = await source.page({ path, cursor: sent, limit, signal });
    const content = parsePage(body, { path, limit, cut, configured, learned: this.#learned });
    this.#notJson = 0;
    this.#learned = content.names;
    this.#limit = Math.min(this.#options.limit, this.#limit * 2);
    if (sent !== undefined) this.#followed.add(sent);
    const next = content.nextCursor;
    if (next !== null && sent !== undefined)
      this.#fallbacks = this.#fallbacks.length === 2 ? [sent, undefined] : this.#fallbacks;
    const repeats = next !== null && this.#followed.has(next);
    const rows = content.rows.map(this.#options.read);
    return { rows, sent, next, repeats, names: content.names, bytes: body.length };
  }

  /**
   * Asks again when the answer is not JSON, because a proxy's page or half an answer may come with
   * status 200. Only after several tries does the answer break the contract.
   */
  async #asksAgain(error: unknown): Promise<boolean> {
    const isNotJson = error instanceof ContractError && error.cause instanceof JsonError;
    if (!isNotJson || ++this.#notJson === NOT_JSON_TRIES) return false;
    const wait = backoff(this.#notJson, () => 1);
    await this.#options.clock.sleep(wait, this.#options.signal);
    return true;
  }

  /**
   * Asks for half the limit when a page was too large or too slow. The limit grows back page by
   * page.
   */
  #asksForLess(error: unknown): boolean {
    if (!(error instanceof PageTooLargeError || error instanceof PageTimeoutError) || this.#limit === 1) return false;
    this.#limit = Math.floor(this.#limit / 2);
    return true;
  }

  /**
   * Falls back to the previous saved cursor, and then to the beginning, each once per walk. A
   * further refusal is final.
   */
  #fallback(refused: string, error: CursorRefusedError): string | undefined {
    this.#options.onRefusedCursor();
    while (this.#fallbacks.length > 0) {
      const candidate = this.#fallbacks.shift();
      if (candidate !== refused && (candidate !== undefined || this.#fallbacks.length === 0)) return candidate;
    }
    throw error;
  }
}
