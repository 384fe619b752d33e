import { createInterface } from 'node:readline/promises';
import { terminalText } from '../../../local/terminal/terminal-text.ts';
import { InterruptedError, RefusedError } from '../errors.ts';

/**
 * Asks at the terminal for a yes.
 *
 * @throws RefusedError at any other answer, and where nobody can be asked; InterruptedError at Ctrl-C
 */
export async function confirm(cost: string, signal?: AbortSignal): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new RefusedError(`${cost}\nNobody can be asked here: say --yes if that is meant. Nothing was done.`);
  }
  const answer = await ask(`${cost}\nGo on? Type "yes": `, signal);
  if (answer.trim().toLowerCase() !== 'yes') throw new RefusedError('Not confirmed. Nothing was done.');
}

async function ask(question: string, signal?: AbortSignal): Promise<string> {
  using terminal = createInterface({ input: process.stdin, output: process.stderr });
  const gone = Promise.withResolvers<string>();
  const interrupt = () => gone.reject(new InterruptedError('Interrupted. Nothing was done.'));
  // The terminal's own Ctrl-C, and one that is sent; Ctrl-D closes the input, and no answer comes.
  terminal.once('SIGINT', interrupt);
  signal?.addEventListener('abort', interrupt, { once: true });
  terminal.once('close', () => gone.resolve(''));
  return await Promise.race([terminal.question(terminalText(question)), gone.promise]);
}
