import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const JSON_BODY = { 'content-type': 'application/json' };

/** The process of `npm run api-simulator`, which ends with its test. */
function start(flags: readonly string[]) {
  const child = spawn(process.execPath, ['local/api-simulator/main.ts', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  return { child, closed, messages: text(child.stderr), [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

test('the API simulator prints its credentials and changes rows at the given rate until SIGTERM', async () => {
  const flags = ['--assets', '30', '--threats', '5', '--control', '--life', '500', '--dns-blocks-path', '/v1/blocked'];
  using process = start(flags);
  const [line] = (await once(createInterface({ input: process.child.stdout }), 'line')) as [string];
  const { baseUrl, controlUrl, clientId, clientSecret, ...rest } = JSON.parse(line);
  expect(rest).toEqual({ authUrl: `${baseUrl}/realms/organization`, dnsBlocksPath: '/v1/blocked' });
  expect((await fetch(`${baseUrl}/v1/assets`)).status).toBe(401);

  const truth = async (): Promise<string> => (await fetch(`${controlUrl}/truth`)).text();
  const pace = (rate: number) =>
    fetch(`${controlUrl}/life`, { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ rate }) });
  const first = await truth();
  while ((await truth()) === first);
  expect((await pace(0)).status).toBe(204);
  const still = await truth();
  expect(await truth()).toBe(still);

  process.child.kill('SIGTERM');
  expect(await process.closed).toEqual([0, null]);
  const messages = await process.messages;
  expect(messages).toContain(`CLIENT_SECRET='${clientSecret}' npm start -- --base-url ${baseUrl}`);
  expect(messages).toContain(`--client-id ${clientId} --dns-blocks-path /v1/blocked`);
  expect(messages).toContain(`${controlUrl}/credentials/rotate`);
});
