/** The embedded API simulator behind https, because the configuration accepts no other addresses. So the template is the one that users deploy. */
import { createRandom } from '../../../local/api-simulator/random.ts';
import { startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../../local/api-simulator/simulator.ts';
import { tlsServer } from '../../support/connect-proxy.ts';
import type { Certificate } from './certificate.ts';

export interface Api extends AsyncDisposable {
  readonly simulator: ApiSimulator;
  readonly baseUrl: string;
  readonly authUrl: string;
}

export async function startApi({ text: cert, key }: Certificate): Promise<Api> {
  const simulator = createSimulator({ clock: Date.now, random: createRandom(16) });
  const inner = await startSimulatorServer({ simulator });
  const server = await tlsServer(
    () => ({ cert, key }),
    () => inner.baseUrl,
  );
  const baseUrl = `https://localhost:${server.port}`;
  return {
    simulator,
    baseUrl,
    authUrl: baseUrl + simulator.realmPath,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await inner.close();
    },
  };
}
