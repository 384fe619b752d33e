/**
 * The embedded API simulator behind https, because the configuration accepts no other addresses. So
 * the template is the one that users deploy.
 */
import { readFile } from 'node:fs/promises';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../../local/api-simulator/simulator.ts';
import { tlsServer } from '../../support/connect-proxy.ts';
import { certificatePath, keyPath } from './parts.ts';

export interface Api extends AsyncDisposable {
  readonly simulator: ApiSimulator;
  readonly baseUrl: string;
  readonly authUrl: string;
}

/** @param folder where the certificate is */
export async function startApi(folder: string): Promise<Api> {
  const cert = await readFile(certificatePath(folder), 'utf8');
  const key = await readFile(keyPath(folder), 'utf8');
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
