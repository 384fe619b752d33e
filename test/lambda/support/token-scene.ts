import type { ClientCredentials } from '../../../lambda/source/credentials.ts';
import { createTokens } from '../../../lambda/source/token.ts';
import { type Act, httpHarness, json, type SeenRequest } from './http-harness.ts';
import { retryBudget, steppedClock } from './stepped-clock.ts';
import { watchedFetch } from './watched-fetch.ts';

export const PATH = '/protocol/openid-connect/token';
export const issued = (token: string, seconds?: number) =>
  json(200, { access_token: token, token_type: 'Bearer', ...(seconds === undefined ? {} : { expires_in: seconds }) });
export const refused = (status: number, error: string) =>
  json(status, { error, error_description: 'canary-description' });

/** Id and secret, each decoded by itself, as RFC 6749 §2.3.1 has them encoded. */
export function basicParts(request: SeenRequest | undefined): string[] {
  const [, basic = ''] = /^Basic (.+)$/.exec(request?.headers.authorization ?? '') ?? [];
  const parts = Buffer.from(basic, 'base64').toString().split(':');
  return parts.map(part => decodeURIComponent(part.replaceAll('+', ' ')));
}

/** Tokens from a stand that plays the given acts, with credentials that change once read past the cache. */
export async function tokenScene(...acts: Act[]) {
  const server = await httpHarness(...acts);
  const clock = steppedClock();
  const reads: boolean[] = [];
  const credentials = {
    async read({ fresh }: { readonly fresh: boolean }): Promise<ClientCredentials> {
      reads.push(fresh);
      return { clientId: 'client', clientSecret: fresh ? 'canary-rotated' : 'canary-secret' };
    },
  };
  const { fetch, begun } = watchedFetch();
  const tokens = createTokens({ authUrl: server.url, credentials, fetch });
  const token = (budget?: number) => tokens.token(retryBudget(clock, budget));
  return { server, clock, begun, reads, tokens, token, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
