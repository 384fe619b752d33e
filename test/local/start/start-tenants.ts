import { createServer } from 'node:http';
import { createPlatform, type Platform } from '../../../local/platform/platform.ts';
import { createRandom } from '../../../local/platform/random.ts';
import { closeServer, listen, startPlatformServer } from '../../../local/platform/server.ts';

export const SECRET = 'canary +%2F/: ü&= secret';

export interface Tenant extends AsyncDisposable {
  readonly platform: Platform;
  readonly options: readonly string[];
}

/** A tenant with a platform of 60 rows behind it, and the options that lead there. */
export async function tenant(latencyMs = 0): Promise<Tenant> {
  const platform = createPlatform({ clock: Date.now, random: createRandom(1), clientSecret: SECRET, latencyMs });
  platform.populate({ assets: 20, threats: 30, dnsBlocks: 10 });
  const server = await startPlatformServer({ platform });
  const urls = ['--base-url', server.baseUrl, '--auth-url', server.authUrl];
  return {
    platform,
    options: [
      ...urls,
      '--client-id',
      platform.account.clientId,
      '--dns-blocks-path',
      '/v1/dns-blocks',
      '--name',
      'acme',
    ],
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** A server that gives tokens, no threats, and `body` instead of assets. */
export async function serveInstead(body: string): Promise<AsyncDisposable & { readonly url: string }> {
  const token = '{"access_token":"t","token_type":"Bearer","expires_in":300}';
  const nothing = '{"data":[],"pagination":{"next_cursor":null,"page_size":0}}';
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') response.end(token);
    else response.end(request.url!.startsWith('/v1/assets') ? body : nothing);
  });
  return { url: await listen(server, 0), [Symbol.asyncDispose]: () => closeServer(server) };
}
