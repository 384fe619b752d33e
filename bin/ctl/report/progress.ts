import { terminalLine, terminalText } from '../../../local/terminal/terminal-text.ts';

/** Work under way: a line with a bar on a terminal, a line at each tenth elsewhere, nothing where a machine reads. */
export interface Progress extends Disposable {
  /** @param done so much more is done @param text where the work stands */
  advance(done: number, text: string): void;
  /** Leaves a last word. Disposing takes the line away. */
  stop(text: string): void;
}

export interface ProgressOptions {
  readonly title: string;
  readonly total: number | undefined;
  readonly silent: boolean;
}

export function createProgress(options: ProgressOptions): Progress {
  if (options.silent) return { advance: () => undefined, stop: () => undefined, [Symbol.dispose]: () => undefined };
  return process.stderr.isTTY ? animated(options) : written(options);
}

const BAR_WIDTH = 30;
/** To the line's beginning, and erased from there. */
const CLEAR = '\r\u001b[K';

/**
 * One line, drawn over and over. Libraries that do this read the keyboard meanwhile, and end the process at Ctrl-C by
 * themselves; a command must be able to say what is true then.
 */
function animated({ title, total }: ProgressOptions): Progress {
  const output = process.stderr;
  let done = 0;
  const random = (text: string) => {
    const share = total ? Math.min(1, done / total) : 0;
    const filled = Math.floor(share * BAR_WIDTH);
    const bar = total ? `${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)} ` : '';
    output.write(`${CLEAR}${`${bar}${terminalLine(text)}`.slice(0, (output.columns || 80) - 1)}`);
  };
  random(title);
  return {
    advance(more, text) {
      done += more;
      random(text);
    },
    stop: text => void output.write(`${CLEAR}${terminalText(text)}\n`),
    [Symbol.dispose]: () => void output.write(CLEAR),
  };
}

/** A log keeps what it is told, so it is told little. */
function written({ title, total = 0 }: ProgressOptions): Progress {
  const step = Math.max(total / 10, 10_000);
  let done = 0;
  let told = 0;
  process.stderr.write(`${title}\n`);
  return {
    advance(more, text) {
      done += more;
      if (done - told < step) return;
      told = done;
      process.stderr.write(`${terminalText(text)}\n`);
    },
    stop: text => void process.stderr.write(`${terminalText(text)}\n`),
    [Symbol.dispose]: () => undefined,
  };
}
