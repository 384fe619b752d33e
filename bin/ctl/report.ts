/** Output of a command: the result on stdout as text or one JSON document, everything else on stderr. */
import type { Readable, Writable } from 'node:stream';
import { terminalLine, terminalText } from '../terminal/terminal-text.ts';
import { type Text, terminalReport } from './painted.ts';

/** The terminal or pipe of a command. */
export interface Shell {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The current folder. */
  readonly folder: string;
}

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; hasColors?(): boolean };

/** Whether a question can be asked. */
export function isInteractive({ stdin, stderr }: Shell): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** FORCE_COLOR and NO_COLOR are honoured as Node 22 and later do. Node 20 would colour pipes. */
function hasColours({ stdout, environment }: Shell): boolean {
  const { FORCE_COLOR: forced } = environment;
  return forced === undefined ? stdout.isTTY === true && stdout.hasColors?.() === true : forced !== '0';
}

export interface Outcome {
  /** Printed without `--json`. */
  readonly text: Text;
  /** Printed with `--json`. */
  readonly json: unknown;
  /** 3: the command succeeded and has a finding. @default 0 */
  readonly status?: 0 | 3;
}

export interface Report {
  readonly json: boolean;
  /** Prints a result, with its colours where the terminal has them. */
  print(text: Text): void;
  /** Prints a line to stderr, unless `--json` is set. */
  say(line: string): void;
  /** Shows progress, unless `--json` is set. @param total if it is known */
  progress(title: string, total?: number): Progress;
}

export function createReport(shell: Shell, json: boolean): Report {
  const coloured = !json && hasColours(shell);
  return {
    json,
    print: text => void shell.stdout.write(`${terminalReport(text, coloured)}\n`),
    say(line) {
      if (!json) shell.stderr.write(`${terminalText(line)}\n`);
    },
    progress: (title, total) => createProgress({ title, total, silent: json, output: shell.stderr }),
  };
}

/** As one JSON document, or as text. */
export function printOutcome({ json, print }: Report, { text, json: document }: Outcome): void {
  print(json ? JSON.stringify(document, null, 2) : text);
}

/** A progress bar on a terminal, a line per tenth of the work elsewhere. Disposing removes the bar. */
export interface Progress extends Disposable {
  /** @param done work done since the last call @param text the current state */
  advance(done: number, text: string): void;
}

interface ProgressOptions {
  readonly title: string;
  readonly total?: number | undefined;
  readonly silent: boolean;
  readonly output: Output;
}

const BAR_WIDTH = 30;
/** Moves to the start of the line and erases it. */
const CLEAR = '\r\u001b[K';

/** No library: those read the keyboard and end the process at Ctrl-C, before a command can report what was done. */
export function createProgress({ title, total = 0, silent, output }: ProgressOptions): Progress {
  if (silent) return { advance: () => undefined, [Symbol.dispose]: () => undefined };
  // Few lines, since they may end up in a log.
  const step = Math.max(total / 10, 10_000);
  let done = 0;
  let reported = 0;
  const draw = (text: string) => {
    const filled = total > 0 ? Math.floor(Math.min(1, done / total) * BAR_WIDTH) : 0;
    const bar = total > 0 ? `${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)} ` : '';
    output.write(`${CLEAR}${`${bar}${terminalLine(text)}`.slice(0, (output.columns || 80) - 1)}`);
  };
  const write = (text: string) => {
    reported = done;
    output.write(`${terminalText(text)}\n`);
  };
  const show = output.isTTY ? draw : write;
  show(title);
  return {
    advance(more, text) {
      done += more;
      if (output.isTTY || done - reported >= step) show(text);
    },
    [Symbol.dispose]: () => void (output.isTTY && output.write(CLEAR)),
  };
}
