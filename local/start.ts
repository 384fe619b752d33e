/** `npm start` runs the connector on this machine. See `npm start -- --help`. */
import { CommanderError } from 'commander';
import { hasClientSecret, PromptAbortedError } from '../bin/terminal/client-secret.ts';
import { failureText, stateFailureText } from './start/failure-text.ts';
import { readRequest, StartProblemsError } from './start/options.ts';
import { runConnector } from './start/run.ts';

// The state folder contains rows of a real tenant, so only the current user may read its files.
process.umask(0o077);

// A reader of the output may exit early, as `head` does. The run continues to its end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const args = process.argv.slice(2);
const isVerbose = args.includes('--verbose');
let folder = '';
try {
  const request = readRequest(args, process.env, hasClientSecret(process.env));
  folder = request.folder;
  process.exitCode = await runConnector(request);
} catch (error) {
  process.exitCode = statusOf(error);
  const isPlain = error instanceof StartProblemsError || error instanceof PromptAbortedError;
  // Commander has already printed the help.
  if (!(error instanceof CommanderError))
    console.error(isPlain ? error.message : (stateFailureText(error, folder) ?? failureText(error, isVerbose)));
}

function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof StartProblemsError) return 2;
  return error instanceof PromptAbortedError ? 130 : 1;
}
