/** `npm start`: the connector on this machine. See `npm start -- --help`. */

import { readCommandLine } from './start/command-line.ts';
import { failureText } from './start/failure-text.ts';
import { run } from './start/run.ts';
import { readRequest, StartFaultsError } from './start/start-request.ts';
import { hasClientSecret } from './terminal/client-secret.ts';
import { PromptAbortedError } from './terminal/hidden-prompt.ts';

// Rows of a real tenant come to lie in the state folder. What is written there is for its owner alone.
process.umask(0o077);

// Whoever reads along may leave early, as `head` does; the run goes on to its end all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const args = process.argv.slice(2);
try {
  process.exitCode = await run(readRequest(readCommandLine(args), hasClientSecret(process.env)));
} catch (error) {
  process.exitCode = statusOf(error);
  const isPlain = error instanceof StartFaultsError || error instanceof PromptAbortedError;
  console.error(isPlain ? error.message : failureText(error, args.includes('--verbose')));
}

function statusOf(error: unknown): number {
  if (error instanceof StartFaultsError) return 2;
  return error instanceof PromptAbortedError ? 130 : 1;
}
