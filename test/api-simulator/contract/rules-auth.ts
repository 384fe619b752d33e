import { type ContractClient, isObject, refusal } from './contract-client.ts';
import { hold, numbered, rule } from './rule.ts';

export const AUTH_RULES = numbered('auth', [
  rule(
    'The token endpoint answers access_token (string), expires_in (integer, seconds), token_type "Bearer"',
    async client => {
      const { status, body } = await client.token();
      hold(status === 200 && isObject(body), `The token endpoint answered ${status}.`);
      hold(typeof body['access_token'] === 'string', 'access_token is not a string.');
      hold(Number.isInteger(body['expires_in']), 'expires_in is not an integer.');
      hold(body['token_type'] === 'Bearer', 'token_type is not Bearer.');
    },
  ),
  rule('A token is valid for 5 minutes (expires_in = 300)', async client => {
    const { body } = await client.token();
    hold(isObject(body) && body['expires_in'] === 300, 'expires_in is not 300.');
  }),
  rule('No refresh token is issued', async client => {
    const { body } = await client.token();
    hold(isObject(body) && !('refresh_token' in body), 'The answer holds a refresh_token.');
  }),
  rule('A token is reused for its lifetime, not requested per call', async client => {
    for (const [, path] of [...client.streams, ...client.streams]) await client.page(path, { limit: 1 });
  }),
  rule('No Authorization header sent: 401 auth/missing-token, on every endpoint', client =>
    everywhere(client, null, 'auth/missing-token'),
  ),
  rule('Token malformed: 401 auth/invalid-token', client =>
    everywhere(client, 'Bearer not-a-token', 'auth/invalid-token'),
  ),
  rule('Token signature does not verify: 401 auth/invalid-token', async client =>
    everywhere(client, altered(await client.bearer()), 'auth/invalid-token'),
  ),
  rule(
    'The 5-minute lifetime has passed: 401 auth/expired-token; a new token is requested with the same credentials',
    async client => {
      if (!client.target.letTokenExpire) return { notSeen: 'five minutes: run with --wait-for-expiry' };
      const old = await client.bearer();
      await client.target.letTokenExpire();
      await everywhere(client, old, 'auth/expired-token');
      client.forgetToken();
      await client.page('/v1/assets', { limit: 1 });
    },
  ),
  rule('No organization identifier is accepted in any path, query or body', async client => {
    const own = await client.page('/v1/assets', { limit: 5 });
    const { status, body } = await client.get('/v1/assets?limit=5&organization_id=another-organization');
    const ids = (text: unknown): string => JSON.stringify(text, (key, value) => (key === 'next_cursor' ? null : value));
    const sameRows = status === 200 && ids(body).includes(ids(own.rows));
    hold(sameRows || (status >= 400 && status < 500), 'A query that names another organization gave other rows.');
  }),
]);

async function everywhere(client: ContractClient, authorization: string | null, suffix: string): Promise<undefined> {
  const paths = [...client.streams.map(([, path]) => path), '/v1/assets/x', '/v1/assets/x/related', '/v1/threats/x'];
  for (const path of paths) refusal(await client.get(path, authorization), 401, suffix);
}

/** The same token with one character of its signature changed (not the last one, whose low bits may not count). */
function altered(bearer: string): string {
  const at = bearer.length - 10;
  return bearer.slice(0, at) + (bearer[at] === 'A' ? 'B' : 'A') + bearer.slice(at + 1);
}
