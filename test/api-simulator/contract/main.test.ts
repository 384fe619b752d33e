import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { type SimulatorServer, startSimulatorServer } from '../../../local/api-simulator/server.ts';
import { type ApiSimulator, createSimulator } from '../../../local/api-simulator/simulator.ts';

let simulator: ApiSimulator;
let server: SimulatorServer;

beforeAll(async () => {
  simulator = createSimulator({ clock: () => Date.parse('2026-11-20T12:00:00Z'), random: createRandom(1) });
  simulator.populate({ assets: 150, threats: 150, dnsBlocks: 150 });
  server = await startSimulatorServer({ simulator });
});

afterAll(() => server.close());

async function run(
  secret: string,
  flags: readonly string[] = [],
): Promise<{ code: unknown; out: string; err: string }> {
  const { baseUrl, authUrl } = server;
  const known = ['--base-url', baseUrl, '--auth-url', authUrl, '--client-id', simulator.account.clientId];
  const env = { ...process.env, CLIENT_SECRET: secret };
  const child = spawn(process.execPath, ['test/api-simulator/contract/main.ts', ...known, ...flags], { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', chunk => (out += chunk));
  child.stderr.on('data', chunk => (err += chunk));
  const [code] = await once(child, 'close');
  return { code, out, err };
}

test('for a tenant that keeps the rules, every rule is listed with its result, one token is requested, and the exit status is 0', async () => {
  const { code, out } = await run(simulator.account.clientSecret, ['--dns-blocks-path', '/v1/dns-blocks']);
  expect(code).toBe(0);
  expect(out).toMatch(/^holds +lists-1 +Every list response/m);
  expect(out).toMatch(/^unobservable +unobservable-1 /m);
  expect(out).toMatch(/\d+ holds, 1 not seen, \d+ unobservable\n$/);
  expect(simulator.requests.get('token')).toBe(1);
});

test('a broken rule is named with its reason, and the exit status is 1', async () => {
  simulator.setFaults([{ kind: 'status', endpoint: 'related', status: 500 }]);
  const { code, out } = await run(simulator.account.clientSecret);
  simulator.setFaults([]);
  expect(code).toBe(1);
  expect(out).toMatch(/^broken +single-3 .*\n +The related assets answered 500/m);
});

test('wrong credentials break rules, give exit status 1, and do not put the secret into the output', async () => {
  const { code, out, err } = await run('canary-secret');
  expect(code).toBe(1);
  expect(out).toContain('The token endpoint answered 401');
  expect(out + err).not.toContain('canary-secret');
});

test('without a secret, or with plain http to another machine, nothing is sent, and the exit status is 2', async () => {
  const before = new Map(simulator.requests);
  expect((await run('')).code).toBe(2);
  const { code, err } = await run('x', ['--base-url', 'http://api.example']);
  expect([code, err]).toEqual([2, expect.stringContaining('https')]);
  expect(simulator.requests).toEqual(before);
});
