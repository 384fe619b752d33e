import type { Deployment } from './deployment.ts';

/**
 * The secret gets the credentials of another client, which the API accepts. Warm containers keep
 * the token of the client before.
 */
export function becomeAnotherClient({ connector: { simulator, aws } }: Deployment): void {
  const clientId = 'other-client';
  Object.assign(simulator.account, { clientId });
  aws.secret.put(JSON.stringify({ client_id: clientId, client_secret: simulator.account.clientSecret }));
}
