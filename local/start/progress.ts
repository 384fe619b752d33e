import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import type { ApiAnswer } from './function-process.ts';

/** The output of a display. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface MonitoredStream {
  readonly name: string;
  /** URL of its list, without query. */
  readonly url: string;
}

/** One line with the pages read so far: rewritten at a terminal, and appended elsewhere. */
export class Progress {
  readonly #streams: readonly MonitoredStream[];
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #pages = new Map<string, number>();
  #reason: string | undefined;
  /** Why the last request is retried; undefined once the API has answered. */
  trouble: string | undefined;
  #shown = '';
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(streams: readonly MonitoredStream[], screen: Screen, now: () => number = () => performance.now()) {
    this.#streams = streams;
    this.#screen = screen;
    this.#now = now;
  }

  observe({ url, status, problem }: ApiAnswer): void {
    const isAnswered = status !== undefined && status !== 429 && status < 500;
    this.trouble = isAnswered ? undefined : terminalLine(`${problem ?? `answer ${status}`} (${url})`);
    if (status === 200 && this.#streams.some(stream => stream.url === url)) {
      this.#pages.set(url, (this.#pages.get(url) ?? 0) + 1);
      this.#reason = undefined;
    }
    const milliseconds = this.#screen.isTTY ? 200 : 1000;
    if (this.#now() - this.#shownAt >= milliseconds) this.#show();
  }

  /** Shown until the next page. */
  waitsFor(reason: string): void {
    this.#reason = reason;
    this.#show();
  }

  /** Writes a line of its own. */
  say(text: string): void {
    this.#screen.write(`${this.#screen.isTTY ? '\n' : ''}${text}\n`);
  }

  end(): void {
    this.#reason = '';
    this.#show();
    if (this.#screen.isTTY) this.#screen.write('\n');
  }

  #show(): void {
    const note = this.#reason ?? (this.trouble && `retrying: ${this.trouble}`);
    const each = this.#streams.map(({ name, url }) => `${name}: ${counted(this.#pages.get(url) ?? 0, 'page')}`);
    const text = [...(note ? [note] : []), ...each].join(' | ');
    this.#shownAt = this.#now();
    if (text === this.#shown) return;
    this.#shown = text;
    const { isTTY, columns } = this.#screen;
    // Cut, because a line that wraps cannot be rewritten.
    this.#screen.write(isTTY ? `\r\u001b[2K${text.slice(0, (columns || 80) - 1)}` : `${text}\n`);
  }
}

/** `1 page`, `2 pages` */
export function counted(count: number, one: string): string {
  return `${grouped(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** With thousands separators: 12,345. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
