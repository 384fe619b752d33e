import { askHidden } from './hidden-prompt.ts';
import type { TenantTarget } from './start-request.ts';

const VARIABLE = 'CLIENT_SECRET';

/** Whether the secret is in the environment, or a person sits at the terminal. */
export function hasClientSecret(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment[VARIABLE]) || Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

/**
 * Text of the secret as Secrets Manager holds it: never an argument, never on disk.
 *
 * @throws PromptAbortedError
 */
export async function readClientSecret(
  { clientId, authUrl }: TenantTarget,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const { host } = new URL(authUrl);
  const secret = environment[VARIABLE] || (await askHidden(`Client secret of ${clientId} at ${host}: `));
  return JSON.stringify({ client_id: clientId, client_secret: secret });
}
