import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import { deliveredObjects, deliveredStream } from '../aws/delivered.ts';
import type { ApiObservation } from './handler-thread.ts';

/** The output of a display. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** One line: rewritten at a terminal, and appended elsewhere whenever it has changed. */
export class ProgressLine {
  readonly #screen: Screen;
  #last = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Milliseconds between updates. */
  get interval(): number {
    return this.#screen.isTTY ? 200 : 1000;
  }

  show(text: string): void {
    if (text === this.#last) return;
    const { isTTY, columns } = this.#screen;
    // Cut, because a line that wraps cannot be rewritten.
    this.#screen.write(isTTY ? `\r\u001b[2K${text.slice(0, (columns || 80) - 1)}` : `${text}\n`);
    this.#last = text;
  }

  end(): void {
    if (this.#screen.isTTY) this.#screen.write('\n');
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

export interface MonitoredStream {
  readonly name: string;
  /** URL of its list, without query. */
  readonly url: string;
}

/**
 * Collects what can be observed from outside the function, and shows it at intervals.
 *
 * @param folder of the delivered files
 * @param onLine called with each line that this run delivers
 */
export async function watchProgress(
  streams: readonly MonitoredStream[],
  folder: string,
  screen: Screen,
  onLine?: (line: string) => void,
) {
  const progress = new ProgressLine(screen);
  const delivered = await countDelivered(folder, onLine);
  const pages = new Map<string, number>();
  let trouble: string | undefined;
  let untilEnd: string | undefined;
  let untilPage: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let showing: Promise<void> = Promise.resolve();

  const show = async (): Promise<void> => {
    await delivered.update();
    const each = streams.map(({ name, url }) => {
      const read = counted(pages.get(url) ?? 0, 'page');
      return `${name}: ${read}, ${counted(delivered.events.get(name) ?? 0, 'event')}`;
    });
    const note = untilEnd ?? untilPage ?? (trouble && `retrying: ${trouble}`);
    progress.show([...(note ? [note] : []), ...each].join(' | '));
  };
  const showLater = (): void => {
    timer = setTimeout(() => {
      showing = show().finally(showLater);
      // Reported at the end, where it is awaited.
      showing.catch(() => undefined);
    }, progress.interval);
  };
  showLater();
  return {
    /** Files delivered so far by this run. */
    get objects() {
      return delivered.objects;
    },
    /** Why the last request is retried; undefined once the API has answered. */
    get trouble() {
      return trouble;
    },
    observe({ url, status, trouble: failure }: ApiObservation): void {
      const isAnswered = status !== undefined && status !== 429 && status < 500;
      trouble = isAnswered ? undefined : terminalLine(`${failure ?? `answer ${status}`} (${url})`);
      if (status !== 200) return;
      pages.set(url, (pages.get(url) ?? 0) + 1);
      if (streams.some(stream => stream.url === url)) untilPage = undefined;
    },
    /** Shown until the end. */
    note(text: string): void {
      untilEnd = text;
    },
    /** Shown until the next page. */
    waitsFor(text: string): void {
      untilPage = text;
    },
    /** Shows the final state. */
    async stop(): Promise<void> {
      clearTimeout(timer);
      await showing;
      clearTimeout(timer);
      untilEnd = '';
      await show();
      progress.end();
    },
  };
}

const decompress = promisify(gunzip);

/** Counts the events of this run by stream, from the delivered files. Existing files belong to earlier runs. */
async function countDelivered(folder: string, onLine: ((line: string) => void) | undefined) {
  const known = new Set(await deliveredObjects(folder));
  const events = new Map<string, number>();
  const count = async (file: string): Promise<void> => {
    const lines = (await decompress(await readFile(file))).toString().split('\n');
    for (const [index, line] of lines.slice(0, -1).entries()) {
      const stream = deliveredStream(line, `${file}:${index + 1}`);
      events.set(stream, (events.get(stream) ?? 0) + 1);
      onLine?.(line);
    }
  };
  const totals = { events, objects: 0, update };
  async function update(): Promise<void> {
    for (const file of await deliveredObjects(folder)) {
      if (known.has(file)) continue;
      known.add(file);
      await count(file);
      totals.objects += 1;
    }
  }
  return totals;
}
