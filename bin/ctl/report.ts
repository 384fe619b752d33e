/** Output of a command: the result on stdout as text or one JSON document, everything else on stderr. */
import { terminalLine, terminalText } from '../terminal/terminal-text.ts';
import { terminalReport } from './text.ts';

export interface Outcome {
  /** Printed without `--json`. */
  readonly text: string;
  /** Printed with `--json`. */
  readonly json: unknown;
  /** 3: the command succeeded and has a finding. @default 0 */
  readonly status?: 0 | 3;
}

export interface Report {
  readonly json: boolean;
  /** Prints the outcome and sets the exit status. */
  result(outcome: Outcome | undefined): void;
  /** Prints a line to stderr, unless `--json` is set. */
  say(line: string): void;
  /** Shows progress, unless `--json` is set. @param total if it is known */
  progress(title: string, total?: number): Progress;
}

export function createReport({ json }: { readonly json: boolean }): Report {
  return {
    json,
    result(outcome) {
      if (!outcome) return;
      const { text, json: document, status = 0 } = outcome;
      process.stdout.write(`${json ? terminalText(JSON.stringify(document, null, 2)) : terminalReport(text)}\n`);
      process.exitCode = status;
    },
    say(line) {
      if (!json) process.stderr.write(`${terminalText(line)}\n`);
    },
    progress: (title, total) => createProgress({ title, total, silent: json }),
  };
}

/** A progress bar on a terminal, a line per tenth of the work elsewhere. */
export interface Progress extends Disposable {
  /** @param done work done since the last call @param text the current state */
  advance(done: number, text: string): void;
  /** Replaces the line by a final text. Disposing removes the line. */
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
/** Moves to the start of the line and erases it. */
const CLEAR = '\r\u001b[K';

/** No library: those read the keyboard and end the process at Ctrl-C, before a command can report what was done. */
function animated({ title, total }: ProgressOptions): Progress {
  const output = process.stderr;
  let done = 0;
  const draw = (text: string) => {
    const share = total ? Math.min(1, done / total) : 0;
    const filled = Math.floor(share * BAR_WIDTH);
    const bar = total ? `${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)} ` : '';
    output.write(`${CLEAR}${`${bar}${terminalLine(text)}`.slice(0, (output.columns || 80) - 1)}`);
  };
  draw(title);
  return {
    advance(more, text) {
      done += more;
      draw(text);
    },
    stop: text => void output.write(`${CLEAR}${terminalText(text)}\n`),
    [Symbol.dispose]: () => void output.write(CLEAR),
  };
}

/** Few lines, since they may end up in a log. */
function written({ title, total = 0 }: ProgressOptions): Progress {
  const step = Math.max(total / 10, 10_000);
  let done = 0;
  let reported = 0;
  process.stderr.write(`${title}\n`);
  return {
    advance(more, text) {
      done += more;
      if (done - reported < step) return;
      reported = done;
      process.stderr.write(`${terminalText(text)}\n`);
    },
    stop: text => void process.stderr.write(`${terminalText(text)}\n`),
    [Symbol.dispose]: () => undefined,
  };
}

/**
 * A reader that exits early (`| head -1`) ends the process without an error: the result is printed after the work is done. A closed
 * stderr must not end the work halfway, so its errors are ignored.
 */
export function handleClosedOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(
      `The result could not be written (${error.code ?? error.message}). The command was carried out.\n`,
    );
    process.exit(1);
  });
}
