import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import type { ApiAnswer } from './function-process.ts';

/** The terminal or file to which progress is written. */
export interface ProgressScreen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface MonitoredStream {
  readonly name: string;
  /** URL of the stream's list, without query. */
  readonly url: string;
}

/**
 * Progress as one line with the number of pages read so far. A terminal shows only the newest line,
 * and any other output gets one line after the other.
 */
export class Progress {
  readonly #streams: readonly MonitoredStream[];
  readonly #screen: ProgressScreen;
  readonly #now: () => number;
  readonly #pages = new Map<string, number>();
  #reason: string | undefined;
  /** Reason why the last request is retried. Undefined once the API has answered. */
  trouble: string | undefined;
  #shown = '';
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(
    streams: readonly MonitoredStream[],
    screen: ProgressScreen,
    now: () => number = () => performance.now(),
  ) {
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

  /** Shows the reason for waiting until the next page arrives. */
  waitsFor(reason: string): void {
    this.#reason = reason;
    this.#show();
  }

  /** Writes a text on a line of its own. */
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
    const each = this.#streams.map(({ name, url }) => `${name}: ${countText(this.#pages.get(url) ?? 0, 'page')}`);
    const text = [...(note ? [note] : []), ...each].join(' | ');
    this.#shownAt = this.#now();
    if (text === this.#shown) return;
    this.#shown = text;
    const { isTTY, columns } = this.#screen;
    // The text is cut, because a line that wraps cannot be overwritten.
    this.#screen.write(isTTY ? `\r\u001b[2K${text.slice(0, (columns || 80) - 1)}` : `${text}\n`);
  }
}

/** A number with its noun, for example `1 page` or `2 pages`. */
export function countText(count: number, one: string): string {
  return `${numberText(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** A number with thousands separators, for example 12,345. */
export function numberText(count: number): string {
  return count.toLocaleString('en-US');
}
