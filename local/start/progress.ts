import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Part, paintedLine } from '../../bin/terminal/painted-line.ts';
import { bar } from '../../bin/terminal/sparkline.ts';
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
  /** Rows that it has, and pages that hold them; absent where that cannot be known. */
  readonly expected?: Expected | undefined;
}

export interface Expected {
  readonly rows: number;
  /** Rows of a page. */
  readonly pageLimit: number;
}

/** The output of a display. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** @default none */
  hasColors?(): boolean;
}

/** Shows the progress of the streams: at a terminal in rewritten lines, elsewhere as a line at each change. */
export class Progress {
  readonly #screen: Screen;
  readonly #now: () => number;
  /** By stream, the last looks, oldest first. */
  readonly #looks = new Map<string, Look[]>();
  #shown = 0;
  #last = '';

  /** @param now milliseconds from any start */
  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
  }

  /** Milliseconds between updates. */
  get interval(): number {
    return this.#screen.isTTY ? 200 : 1000;
  }

  /** @param note what the run waits for, if anything */
  show(streams: readonly StreamProgress[], note?: string): void {
    if (!this.#screen.isTTY) {
      this.#append([...streams.map(streamText), ...(note ? [note] : [])]);
      return;
    }
    const width = Math.max(...streams.map(each => each.stream.length));
    const lines = streams.map(each => streamLine(each, this.#rate(each), width));
    this.#rewrite([...lines, ...(note ? [[[`  ${note}`, 'yellow'] as const]] : [])]);
  }

  /** Events a second, of the last seconds. */
  #rate({ stream, delivered }: StreamProgress): number {
    const now = this.#now();
    const looks = [...(this.#looks.get(stream) ?? []), { now, delivered }].filter(look => look.now >= now - RATE_OVER);
    this.#looks.set(stream, looks);
    const [first] = looks;
    return first && first.now < now ? ((delivered - first.delivered) * 1000) / (now - first.now) : 0;
  }

  #rewrite(lines: readonly (readonly Part[])[]): void {
    const width = (this.#screen.columns || 80) - 1;
    const hasColours = this.#screen.hasColors?.() ?? false;
    const up = this.#shown > 0 ? `\x1b[${this.#shown}A` : '';
    // Cut, because a wrapped line would break the count of lines to rewrite.
    this.#screen.write(`${up}\x1b[0J${lines.map(line => `${paintedLine(line, width, hasColours)}\n`).join('')}`);
    this.#shown = lines.length;
  }

  #append(parts: readonly string[]): void {
    const line = parts.join(' | ');
    if (line !== this.#last) this.#screen.write(`${line}\n`);
    this.#last = line;
  }
}

interface Look {
  readonly now: number;
  readonly delivered: number;
}

/** Milliseconds over which a rate is measured. */
const RATE_OVER = 3_000;
const BAR_COLUMNS = 16;

function streamText({ stream, pages, delivered }: StreamProgress): string {
  return `${stream}  ${counted(pages, 'page')} read, ${counted(delivered, 'event')} delivered`;
}

/** What is known first: how far it is, what has been delivered, how fast, and what is left. */
function streamLine({ stream, pages, delivered, expected }: StreamProgress, rate: number, width: number): Part[] {
  const head = `  ${stream.padEnd(width)}  `;
  const tail = `${counted(delivered, 'event')}${rate >= 1 ? `, ${grouped(Math.round(rate))} a second` : ''}`;
  if (!expected) return [head, `${counted(pages, 'page')}, ${tail}`];
  const { rows, pageLimit } = expected;
  const all = Math.max(1, Math.ceil(rows / pageLimit));
  const left = Math.max(0, rows - pages * pageLimit);
  const { filled, rest } = bar(pages / all, BAR_COLUMNS);
  const isDone = left === 0 && pages > 0;
  return [
    head,
    [filled, isDone ? 'green' : 'cyan'],
    [rest, 'dim'],
    `  ${grouped(Math.min(pages, all))} of ${counted(all, 'page')}, ${tail}`,
    ...(left > 0 ? [[`, ${counted(left, 'row')} left`, 'dim'] as const] : []),
  ];
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
  readonly expected?: Expected | undefined;
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
    const each = streams.map(({ name, url, expected }) => {
      return { stream: name, pages: pages.get(url) ?? 0, delivered: delivered.events.get(name) ?? 0, expected };
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
