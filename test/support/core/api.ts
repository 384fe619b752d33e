import { ApiRefusedError } from '../../../lambda/core/errors.ts';
import type { PageRequest, PageSource } from '../../../lambda/ports.ts';
import { answer } from './rows.ts';

type Answer = string | Error;

/** More than any script needs, so that an endless walk fails instead of hanging. */
const MOST_REQUESTS = 1000;

/**
 * A scripted API. Each request takes the first answer left for its path and cursor, and the last
 * answer stays.
 */
export class ScriptedApi implements PageSource {
  readonly requests: PageRequest[] = [];
  readonly #answers = new Map<string, Answer[]>();

  /** @param cursor undefined: the beginning */
  on(path: string, cursor: string | undefined, ...answers: Answer[]): this {
    this.#answers.set(key(path, cursor), answers);
    return this;
  }

  /**
   * Pages one after the other: the beginning, then `c1`, `c2`, …; the last one ends the stream
   * unless `end` is a cursor.
   */
  pages(path: string, pages: readonly (readonly string[])[], end: string | null = null): this {
    for (const [index, rows] of pages.entries()) {
      const next = index === pages.length - 1 ? end : `c${index + 1}`;
      this.on(path, index === 0 ? undefined : `c${index}`, answer(rows, next));
    }
    return this;
  }

  /** The page after `c1`, `c2`, …, which ends the stream with the next cursor and an empty page. */
  next(path: string, cursor: `c${number}`, rows: readonly string[]): this {
    const after = `c${Number(cursor.slice(1)) + 1}`;
    return this.on(path, cursor, answer(rows, after)).on(path, after, answer([], null));
  }

  /** The cursors sent for a path, in order. */
  sent(path: string): (string | undefined)[] {
    return this.requests.filter(each => each.path === path).map(each => each.cursor);
  }

  async page(request: PageRequest): Promise<Uint8Array> {
    this.requests.push(request);
    if (this.requests.length > MOST_REQUESTS) throw new Error('The walk does not end');
    request.signal.throwIfAborted();
    const answers = this.#answers.get(key(request.path, request.cursor));
    if (!answers) throw new ApiRefusedError(request.path, 404, `not-scripted: ${request.cursor}`);
    const next = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (typeof next !== 'string') throw next;
    return Buffer.from(next);
  }
}

function key(path: string, cursor: string | undefined): string {
  return cursor === undefined ? path : `${path} ${cursor}`;
}

interface Listed {
  readonly seq: number;
  readonly id: string;
  readonly text: string;
}

/**
 * An API of one list, in the order of the last changes: a row that is put again moves to the end.
 * Cursors stay good.
 */
export class ListApi implements PageSource {
  /** Tried before a page is given: throws what the API refuses. */
  check: (request: PageRequest) => void = () => undefined;
  #rows: readonly Listed[] = [];
  #seq = 0;

  get ids(): string[] {
    return this.#rows.map(({ id }) => id);
  }

  /** @param text of the row at this place */
  put(ids: readonly string[], text: (id: string, seq: number) => string): void {
    const put = new Set(ids);
    const added = ids.map(id => ({ seq: ++this.#seq, id, text: text(id, this.#seq) }));
    this.#rows = [...this.#rows.filter(({ id }) => !put.has(id)), ...added];
  }

  async page(request: PageRequest): Promise<Uint8Array> {
    this.check(request);
    const { cursor = '0', limit } = request;
    const after = Number(cursor);
    const rows = this.#rows.filter(({ seq }) => seq > after);
    const page = rows.slice(0, limit);
    return Buffer.from(
      answer(
        page.map(({ text }) => text),
        page.length < rows.length ? `${page.at(-1)!.seq}` : null,
      ),
    );
  }
}
