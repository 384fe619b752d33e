/**
 * Output of a command: the result on stdout as text or one JSON document, everything else on
 * stderr.
 */
import type { Readable, Writable } from 'node:stream';
import { terminalLine, terminalText } from '../terminal/terminal-text.ts';
import { colouredTerminalText, type ReportText } from './painted.ts';

/** The terminal or pipe of a command. */
export interface Shell {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type TerminalOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number; hasColors?(): boolean };

/** Whether a question can be asked. */
export function isInteractive({ stdin, stderr }: Shell): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Whether the output is coloured. FORCE_COLOR and NO_COLOR are honoured as in Node 22 and later,
 * because Node 20 would colour pipes.
 */
function hasColours({ stdout, environment }: Shell): boolean {
  const { FORCE_COLOR: forced } = environment;
  return forced === undefined ? stdout.isTTY === true && stdout.hasColors?.() === true : forced !== '0';
}

export interface CommandOutcome {
  /** Text that is printed without `--json`. */
  readonly text: ReportText;
  /** Value that is printed with `--json`. */
  readonly json: unknown;
  /** Exit status. 3 means that the command succeeded and has a finding. @default 0 */
  readonly status?: 0 | 3;
}

export function createReporter(shell: Shell, json: boolean) {
  const coloured = !json && hasColours(shell);
  return {
    /** Prints a result as one JSON document or as text, coloured if the terminal has colours. */
    print({ text, json: document }: CommandOutcome): void {
      const printed = json ? JSON.stringify(document, null, 2) : text;
      shell.stdout.write(`${colouredTerminalText(printed, coloured)}\n`);
    },
    /** Prints a line to stderr, unless `--json` is set. */
    say(line: string): void {
      if (!json) shell.stderr.write(`${terminalText(line)}\n`);
    },
    /** Shows progress, unless `--json` is set. */
    progress: (title: string): Progress => (json ? NO_PROGRESS : createProgress(title, shell.stderr)),
  };
}

/**
 * A line that is overwritten on a terminal. Elsewhere only the title is written, because the output
 * may end up in a log. Disposing removes the line.
 */
export interface Progress extends Disposable {
  /** @param text the current state, for example `300 rows read` */
  advance(text: string): void;
}

/** Escape sequence that moves to the start of the line and erases it. */
const CLEAR = '\r\u001b[K';

/**
 * Draws the progress without a library, because libraries read the keyboard and end the process at
 * Ctrl-C, before a command can report the steps that it has done.
 */
export function createProgress(title: string, output: TerminalOutput): Progress {
  if (!output.isTTY) {
    output.write(`${terminalText(title)}\n`);
    return NO_PROGRESS;
  }
  const draw = (text: string) => output.write(`${CLEAR}${terminalLine(text).slice(0, (output.columns || 80) - 1)}`);
  draw(title);
  return { advance: draw, [Symbol.dispose]: () => void output.write(CLEAR) };
}

const NO_PROGRESS: Progress = { advance: () => undefined, [Symbol.dispose]: () => undefined };
