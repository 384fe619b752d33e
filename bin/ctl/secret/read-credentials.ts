/** The client credentials, from the environment or a hidden prompt; never an argument, which the process list would show. */
import { askHidden, PromptAbortedError } from '../../../local/terminal/client-secret.ts';
import { RefusedError } from '../errors.ts';

const QUESTIONS = { CLIENT_ID: 'Client id (not shown): ', CLIENT_SECRET: 'Client secret (not shown): ' } as const;

type Variable = keyof typeof QUESTIONS;

/** @returns the text of the secret @throws RefusedError when one is missing and nobody can be asked */
export async function readCredentials(environment: NodeJS.ProcessEnv): Promise<string> {
  const variables = Object.keys(QUESTIONS) as Variable[];
  const missing = variables.filter(variable => !environment[variable]);
  if (missing.length > 0 && !(process.stdin.isTTY && process.stderr.isTTY)) {
    throw new RefusedError(`Set ${missing.join(' and ')}, or run in a terminal to be asked. The secret is unchanged.`);
  }
  const client_id = await ask('CLIENT_ID', environment);
  const client_secret = await ask('CLIENT_SECRET', environment);
  return JSON.stringify({ client_id, client_secret });
}

async function ask(variable: Variable, environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    return environment[variable] || (await askHidden(QUESTIONS[variable]));
  } catch (error) {
    if (!(error instanceof PromptAbortedError)) throw error;
    throw new RefusedError('No credentials were given. The secret is unchanged.', { cause: error });
  }
}
