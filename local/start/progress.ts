/** Where one stream is. */
export interface StreamProgress {
  readonly stream: string;
  /** Pages that the API has answered. */
  readonly pages: number;
  /** Events that lie in the delivered files. */
  readonly delivered: number;
}

/** Where a display writes. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Shows where the streams are: at a terminal in lines that are rewritten, elsewhere as a line at each change. */
export class Progress {
  readonly #screen: Screen;
  #shown = 0;
  #last = '';

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** How often it is worth being shown, in milliseconds. */
  get interval(): number {
    return this.#screen.isTTY ? 200 : 1000;
  }

  /** @param note what keeps the run waiting, if anything */
  show(streams: readonly StreamProgress[], note?: string): void {
    const width = Math.max(...streams.map(each => each.stream.length));
    const lines = [...streams.map(each => streamLine(each, width)), ...(note ? [`  ${note}`] : [])];
    if (this.#screen.isTTY) this.#rewrite(lines);
    else this.#append([...streams.map(each => streamLine(each, 0)), ...(note ? [note] : [])]);
  }

  #rewrite(lines: readonly string[]): void {
    const width = (this.#screen.columns || 80) - 1;
    const up = this.#shown > 0 ? `\x1b[${this.#shown}A` : '';
    // Cut, for a line that the terminal wraps cannot be found again by counting.
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

/** Thousands parted: 12,345. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
