import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface SimulatorProcess extends AsyncDisposable {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly dnsBlocksPath: string;
  /** As Secrets Manager holds it. */
  readonly secret: string;
  /** Stops the changes. */
  stopTraffic(): Promise<void>;
  /** Text of what the API would answer now. */
  truth(): Promise<string>;
}

/** The API simulator as `npm run api-simulator` starts it, in a separate process with the control API. */
export async function startSimulator(flags: readonly string[]): Promise<SimulatorProcess> {
  const main = join(import.meta.dirname, '..', '..', '..', 'local', 'api-simulator', 'main.ts');
  const child = spawn(process.execPath, ['--no-warnings', main, '--control', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const ended = async (): Promise<never> => {
    await closed;
    throw new Error('The API simulator ended before it had started');
  };
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended()])) as [string];
  const { baseUrl, authUrl, dnsBlocksPath, clientId, clientSecret, controlUrl } = JSON.parse(line);
  return {
    baseUrl,
    authUrl,
    dnsBlocksPath,
    secret: JSON.stringify({ client_id: clientId, client_secret: clientSecret }),
    async stopTraffic() {
      const { status } = await fetch(`${controlUrl}/life`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"rate":0}',
      });
      if (status !== 204) throw new Error(`The API simulator answered ${status} when asked to stop its changes`);
    },
    truth: async () => (await fetch(`${controlUrl}/truth`)).text(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}
