import { createInterface } from 'node:readline/promises';
import { RefusedError } from '../errors.ts';

/** Asks at the terminal for a yes. @throws RefusedError at any other answer, and where nobody can be asked */
export async function confirm(cost: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new RefusedError(`${cost}\nNobody can be asked here: say --yes if that is meant. Nothing was done.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D close the terminal, and no answer comes.
  const closed = new Promise<string>(resolve => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${cost}\nGo on? Type "yes": `), closed]);
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new RefusedError('Not confirmed. Nothing was done.');
}
