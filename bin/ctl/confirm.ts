/** Asks questions on the terminal. */
import { createInterface } from 'node:readline/promises';
import { terminalText } from '../terminal/terminal-text.ts';
import type { Context } from './context.ts';
import { InterruptedError, RefusedError } from './errors.ts';
import { isInteractive, type Shell } from './report.ts';

/**
 * Shows the consequence, and asks unless `--yes` is set. @throws RefusedError if the answer is not
 * yes; InterruptedError at Ctrl-C
 */
export async function requireConfirmation(
  { report, shell, signal }: Context,
  consequence: string,
  { yes }: { readonly yes?: true },
): Promise<void> {
  if (yes) return report.say(consequence);
  if (!isInteractive(shell)) {
    throw new RefusedError(`${consequence}\nNo terminal to confirm on. Nothing was done. Re-run with --yes.`);
  }
  const answer = await askLine(`${consequence}\nContinue? [y/N] `, shell, signal);
  if (!/^y(es)?$/i.test(answer.trim())) throw new RefusedError('Not confirmed. Nothing was done.');
}

/** @returns the line that was typed, empty at Ctrl-D @throws InterruptedError at Ctrl-C */
export async function askLine(question: string, { stdin, stderr }: Shell, signal: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stderr });
  const gone = new Promise<string>((resolve, reject) => {
    const interrupt = () => reject(new InterruptedError('Interrupted. Nothing was done.'));
    // Ctrl-C in the terminal is an event of the interface. A SIGINT from elsewhere aborts the
    // signal. Ctrl-D closes the input without an answer.
    terminal.once('SIGINT', interrupt);
    signal.addEventListener('abort', interrupt, { once: true });
    terminal.once('close', () => resolve(''));
  });
  try {
    return await Promise.race([terminal.question(terminalText(question)), gone]);
  } finally {
    terminal.close();
  }
}
