/** The embedded API simulator behind https, because the configuration accepts no other addresses. So the template is the one that users deploy. */
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { closeServer, startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../../local/api-simulator/simulator.ts';
import type { Certificate } from './certificate.ts';

export interface Api extends AsyncDisposable {
  readonly simulator: ApiSimulator;
  readonly baseUrl: string;
  readonly authUrl: string;
}

export async function startApi({ text: cert, key }: Certificate): Promise<Api> {
  const simulator = createSimulator({ clock: Date.now, random: createRandom(16) });
  const inner = await startSimulatorServer({ simulator });
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
    simulator,
    baseUrl,
    authUrl: baseUrl + simulator.realmPath,
    async [Symbol.asyncDispose]() {
      await closeServer(server);
      await inner.close();
    },
  };
}
