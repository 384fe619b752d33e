import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { terminalText } from './terminal-text.ts';

const VARIABLE = 'CLIENT_SECRET';

/** Whether the secret is in the environment, or can be prompted for. */
export function hasClientSecret(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment[VARIABLE]) || Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/**
 * Reads the client secret of a real tenant. The secret is never an argument, because the process
 * list would show it, and it is never on disk.
 *
 * @param authUrl address of the realm or of the token endpoint
 * @throws PromptAbortedError
 */
export async function readClientSecret(
  { clientId, authUrl }: { readonly clientId: string; readonly authUrl: string },
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const { host } = new URL(authUrl);
  return environment[VARIABLE] || (await askHidden(`Client secret of ${clientId} at ${host}: `));
}

/** Nobody answered the prompt. */
export class PromptAbortedError extends Error {
  override readonly name = 'PromptAbortedError';
  constructor() {
    super('No client secret was given. Nothing was started.');
  }
}

/**
 * Prompts without showing the input.
 *
 * @throws PromptAbortedError at Ctrl-C, Ctrl-D or an empty answer
 */
export async function askHidden(
  question: string,
  { stdin, stderr }: { readonly stdin: Readable; readonly stderr: Writable } = process,
): Promise<string> {
  // The line editor echoes the input to its output, so that output is discarded, and the question
  // is written to the terminal directly.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  const aborted = new AbortController();
  editor.on('SIGINT', () => aborted.abort()).on('close', () => aborted.abort());
  stderr.write(terminalText(question));
  try {
    const answer = await editor.question('', { signal: aborted.signal });
    if (answer !== '') return answer;
  } catch (error) {
    if (!aborted.signal.aborted) throw error;
  } finally {
    stderr.write('\n');
    editor.close();
  }
  throw new PromptAbortedError();
}
