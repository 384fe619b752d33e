/** The embedded platform behind https, because the configuration accepts no other addresses. So the template is the one that users deploy. */
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createPlatform, type Platform } from '../../../local/api-simulator/platform.ts';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { closeServer, startPlatformServer } from '../../../local/api-simulator/server.ts';
import type { Certificate } from './certificate.ts';

export interface Api extends AsyncDisposable {
  readonly platform: Platform;
  readonly baseUrl: string;
  readonly authUrl: string;
}

export async function startApi({ text: cert, key }: Certificate): Promise<Api> {
  const platform = createPlatform({ clock: Date.now, random: createRandom(16) });
  const inner = await startPlatformServer({ platform });
  const server = createServer({ cert, key }, (request, response) => {
    const { method = 'GET', headers, url = '/' } = request;
    const call = forward(inner.baseUrl + url, { method, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    call.once('error', () => response.destroy());
    request.pipe(call);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    platform,
    baseUrl,
    authUrl: baseUrl + platform.realmPath,
    async [Symbol.asyncDispose]() {
      await closeServer(server);
      await inner.close();
    },
  };
}
