import type { Reply } from '../api-client.ts';
import type { ContractClient } from './contract-client.ts';
import { hold, numbered, see } from './rule.ts';

export const AUTH_RULES = numbered('auth', {
  'The token endpoint answers access_token (string), expires_in (integer, seconds), token_type "Bearer"':
    async client => {
      const { status, body } = await client.requestToken();
      hold(status === 200, `The token endpoint answered ${status}.`);
      hold(typeof body.access_token === 'string', 'access_token is not a string.');
      hold(Number.isInteger(body.expires_in), 'expires_in is not an integer.');
      hold(body.token_type === 'Bearer', 'token_type is not Bearer.');
    },
  'A token is valid for 5 minutes (expires_in = 300)': async client => {
    const { body } = await client.requestToken();
    hold(body?.expires_in === 300, 'expires_in is not 300.');
  },
  'No refresh token is issued': async client => {
    const { body } = await client.requestToken();
    hold(body && !('refresh_token' in body), 'The answer holds a refresh_token.');
  },
  'A token is reused for its lifetime, not requested per call': async client => {
    for (const path of [...client.paths.values(), ...client.paths.values()]) {
      const { status } = await client.get(`${path}?limit=1`);
      hold(status === 200, `${path} answered ${status} to a token that was used before.`);
    }
  },
  'No Authorization header sent: 401 auth/missing-token, on every endpoint': client =>
    refusesEverywhere(client, null, 'auth/missing-token'),
  'Token malformed: 401 auth/invalid-token': client =>
    refusesEverywhere(client, 'Bearer not-a-token', 'auth/invalid-token'),
  'Token signature does not verify: 401 auth/invalid-token': async client =>
    refusesEverywhere(client, altered(await client.bearer()), 'auth/invalid-token'),
  'The 5-minute lifetime has passed: 401 auth/expired-token; a new token is requested with the same credentials':
    async client => {
      const { letTokenExpire } = client.target;
      see(letTokenExpire !== undefined, 'five minutes: run with --wait-for-expiry');
      const old = await client.bearer();
      await letTokenExpire();
      await refusesEverywhere(client, old, 'auth/expired-token');
      client.forgetToken();
      await client.page('assets', { limit: 1 });
    },
  'No organization identifier is accepted in any path, query or body': async client => {
    const own = await client.get('/v1/assets?limit=5');
    const { status, body } = await client.get('/v1/assets?limit=5&organization_id=another-organization');
    const withoutCursor = (answer: unknown) =>
      JSON.stringify(answer, (key, value) => (key === 'next_cursor' ? null : value));
    const isSame = status === 200 && withoutCursor(body) === withoutCursor(own.body);
    hold(isSame || (status >= 400 && status < 500), 'A query that names another organization gave other rows.');
  },
});

/**
 * @throws RuleBroken unless the answer is a problem document with the status and, where the
 * specification names it, the suffix of its type
 */
export function holdRefusal({ status, body }: Reply, expected: number, suffix = ''): void {
  hold(status === expected, `The answer was ${status}, not ${expected}.`);
  const type = body?.type;
  hold(typeof type === 'string' && type !== '', 'The error body is no problem document with a type.');
  hold(type.endsWith(suffix), `The type ${type} does not end in ${suffix}.`);
}

async function refusesEverywhere(client: ContractClient, authorization: string | null, suffix: string): Promise<void> {
  const paths = [...client.paths.values(), '/v1/assets/x', '/v1/assets/x/related', '/v1/threats/x'];
  for (const path of paths) holdRefusal(await client.get(path, authorization), 401, suffix);
}

/**
 * The same token with one character of its signature changed (not the last one, whose low bits may
 * not count).
 */
function altered(bearer: string): string {
  const at = bearer.length - 10;
  return bearer.slice(0, at) + (bearer[at] === 'A' ? 'B' : 'A') + bearer.slice(at + 1);
}
