import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPlatform, type Platform } from '../../../local/api-simulator/platform.ts';
import { createRandom } from '../../../local/api-simulator/random.ts';
import { type PlatformServer, startPlatformServer } from '../../../local/api-simulator/server.ts';

let platform: Platform;
let server: PlatformServer;

beforeAll(async () => {
  platform = createPlatform({ clock: () => Date.parse('2026-11-20T12:00:00Z'), random: createRandom(1) });
  platform.populate({ assets: 150, threats: 150, dnsBlocks: 150 });
  server = await startPlatformServer({ platform });
});

afterAll(() => server.close());

async function run(
  secret: string,
  flags: readonly string[] = [],
): Promise<{ code: unknown; out: string; err: string }> {
  const { baseUrl, authUrl } = server;
  const known = ['--base-url', baseUrl, '--auth-url', authUrl, '--client-id', platform.account.clientId];
  const env = { ...process.env, CLIENT_SECRET: secret };
  const child = spawn(process.execPath, ['test/api-simulator/contract/main.ts', ...known, ...flags], { env });
  let [out, err] = ['', ''];
  child.stdout.on('data', chunk => (out += chunk));
  child.stderr.on('data', chunk => (err += chunk));
  const [code] = await once(child, 'close');
  return { code, out, err };
}

test('for a tenant that keeps the rules, every rule is listed with its result, one token is requested, and the exit status is 0', async () => {
  const { code, out } = await run(platform.account.clientSecret, ['--dns-blocks-path', '/v1/dns-blocks']);
  expect(code).toBe(0);
  expect(out).toMatch(/^holds +lists-1 +Every list response/m);
  expect(out).toMatch(/^unobservable +unobservable-1 /m);
  expect(out).toMatch(/\d+ holds, 1 not seen, \d+ unobservable\n$/);
  expect(platform.requests.get('token')).toBe(1);
});

test('a broken rule is named with its reason, and the exit status is 1', async () => {
  platform.setFaults([{ kind: 'status', endpoint: 'related', status: 500 }]);
  const { code, out } = await run(platform.account.clientSecret);
  platform.setFaults([]);
  expect(code).toBe(1);
  expect(out).toMatch(/^broken +single-3 .*\n +The related assets answered 500/m);
});

test('with wrong credentials rules are broken, the exit status is 1, and the secret is not in the output', async () => {
  const { code, out, err } = await run('canary-secret');
  expect(code).toBe(1);
  expect(out).toContain('The token endpoint answered 401');
  expect(out + err).not.toContain('canary-secret');
});

test('without a secret, or with plain http to another machine, nothing is sent, and the exit status is 2', async () => {
  const before = new Map(platform.requests);
  expect((await run('')).code).toBe(2);
  const { code, err } = await run('x', ['--base-url', 'http://api.example']);
  expect([code, err]).toEqual([2, expect.stringContaining('https')]);
  expect(platform.requests).toEqual(before);
});
