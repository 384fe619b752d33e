/** How a command tells its result: text for people or one JSON document for machines on stdout, all else on stderr. */
import { terminalText } from '../../../local/terminal/terminal-text.ts';
import { terminalReport } from './paint.ts';
import { createProgress, type Progress } from './progress.ts';

export interface Outcome {
  /** For people. */
  readonly text: string;
  /** For machines: plain JSON. */
  readonly json: unknown;
  /** 3: the command worked, and what it looked at is not as it should be. @default 0 */
  readonly status?: 0 | 3;
}

export interface Report {
  readonly json: boolean;
  /** Tells the result, and sets the exit status. Without one the command has told all there is. */
  result(outcome: Outcome | undefined): void;
  /** Tells of something on the way; nothing where a machine reads. */
  say(line: string): void;
  /** Shows that work is under way. @param total where it is known beforehand */
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
