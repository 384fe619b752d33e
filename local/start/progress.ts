import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import { deliveredObjects, deliveredStream } from '../aws/delivered.ts';
import type { ApiObservation } from './handler-thread.ts';
/** Progress of one stream. */
export interface StreamProgress {
  readonly stream: string;
  /** Pages that the API has answered. */
  readonly pages: number;
  /** Events in the delivered files. */
  readonly delivered: number;
}

/** The output of a display. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Shows the progress of the streams: at a terminal in rewritten lines, elsewhere as a line at each change. */
export class Progress {
  readonly #screen: Screen;
  #shown = 0;
  #last = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Milliseconds between updates. */
  get interval(): number {
    return this.#screen.isTTY ? 200 : 1000;
  }

  /** @param note what the run waits for, if anything */
  show(streams: readonly StreamProgress[], note?: string): void {
    const width = Math.max(...streams.map(each => each.stream.length));
    const lines = [...streams.map(each => streamLine(each, width)), ...(note ? [`  ${note}`] : [])];
    if (this.#screen.isTTY) this.#rewrite(lines);
    else this.#append([...streams.map(each => streamLine(each, 0)), ...(note ? [note] : [])]);
  }

  #rewrite(lines: readonly string[]): void {
    const width = (this.#screen.columns || 80) - 1;
    const up = this.#shown > 0 ? `\x1b[${this.#shown}A` : '';
    // Cut, because a wrapped line would break the count of lines to rewrite.
    this.#screen.write(`${up}\x1b[0J${lines.map(line => `${line.slice(0, width)}\n`).join('')}`);
    this.#shown = lines.length;
  }

  #append(parts: readonly string[]): void {
    const line = parts.map(part => part.trim()).join(' | ');
    if (line !== this.#last) this.#screen.write(`${line}\n`);
    this.#last = line;
  }
}

function streamLine({ stream, pages, delivered }: StreamProgress, width: number): string {
  return `  ${stream.padEnd(width)}  ${grouped(pages)} pages read, ${grouped(delivered)} events delivered`;
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
  const progress = new Progress(screen);
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
      return { stream: name, pages: pages.get(url) ?? 0, delivered: delivered.events.get(name) ?? 0 };
    });
    progress.show(each, untilEnd ?? untilPage ?? (trouble && `retrying: ${trouble}`));
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
    /** Shown below the streams until the end. */
    note(text: string): void {
      untilEnd = text;
    },
    /** Shown below the streams until the next page. */
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
    },
  };
}

const decompress = promisify(gunzip);

/** Counts the events of this run by stream, from the delivered files. Existing files belong to earlier runs. */
async function countDelivered(folder: string, onLine: ((line: string) => void) | undefined) {
  const counted = new Set(await deliveredObjects(folder));
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
      if (counted.has(file)) continue;
      counted.add(file);
      await count(file);
      totals.objects += 1;
    }
  }
  return totals;
}
