import { askHidden } from './hidden-prompt.ts';

const VARIABLE = 'CLIENT_SECRET';

/** Whether the secret is in the environment, or a person sits at the terminal. */
export function hasClientSecret(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment[VARIABLE]) || Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/**
 * The secret of a client of a real tenant: never an argument, which the process list would show, never on disk.
 *
 * @param authUrl of the realm or the token endpoint
 * @throws PromptAbortedError
 */
export async function readClientSecret(
  { clientId, authUrl }: { readonly clientId: string; readonly authUrl: string },
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const { host } = new URL(authUrl);
  return environment[VARIABLE] || (await askHidden(`Client secret of ${clientId} at ${host}: `));
}
