import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** The person at the terminal gave no answer. */
export class PromptAbortedError extends Error {
  override readonly name = 'PromptAbortedError';
  constructor() {
    super('No client secret was given. Nothing was started.');
  }
}

/**
 * Asks at the terminal without showing what is typed or pasted.
 *
 * @throws PromptAbortedError at Ctrl-C, Ctrl-D or an empty answer
 */
export async function askHidden(question: string): Promise<string> {
  // The line editor echoes to its output; so the question goes to the terminal, and the echo nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  const aborted = new AbortController();
  editor.on('SIGINT', () => aborted.abort()).on('close', () => aborted.abort());
  process.stderr.write(question);
  try {
    const answer = await editor.question('', { signal: aborted.signal });
    if (answer !== '') return answer;
  } catch (error) {
    if (!aborted.signal.aborted) throw error;
  } finally {
    process.stderr.write('\n');
    editor.close();
  }
  throw new PromptAbortedError();
}
