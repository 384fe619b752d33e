/** `npm start`: the connector on this machine. See `npm start -- --help`. */

import { readCommandLine } from './start/command-line.ts';
import { failureText, stateFailureText } from './start/failure-text.ts';
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
const isVerbose = args.includes('--verbose');
let folder = '';
// dynalite throws what its store reports into the event loop.
process.on('uncaughtException', error => {
  console.error((isVerbose ? undefined : stateFailureText(error, folder)) ?? error);
  process.exit(1);
});
try {
  const request = readRequest(readCommandLine(args, process.env), hasClientSecret(process.env));
  folder = request.folder;
  process.exitCode = await run(request);
} catch (error) {
  process.exitCode = statusOf(error);
  const isPlain = error instanceof StartFaultsError || error instanceof PromptAbortedError;
  const ofState = isVerbose ? undefined : stateFailureText(error, folder);
  console.error(isPlain ? error.message : (ofState ?? failureText(error, isVerbose)));
}

function statusOf(error: unknown): number {
  if (error instanceof StartFaultsError) return 2;
  return error instanceof PromptAbortedError ? 130 : 1;
}
