import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Platform } from '../../../local/platform/platform.ts';
import { PROBLEMS } from '../../../local/platform/problem.ts';
import { createRandom } from '../../../local/platform/random.ts';
import { type PlatformServer, startPlatformServer } from '../../../local/platform/server.ts';
import {
  AUTHORIZED,
  authorization,
  contentType,
  credential,
  method,
  nasty,
  rawRequest,
  target,
  tokenForm,
} from './fuzz-input.ts';
import { createTenant } from './tenant.ts';

/** `FUZZ_RUNS=100000 npm test -- fuzz` for a long run; raw sockets take a fifth of them. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 3000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261120);

const crashes: unknown[] = [];
let platform: Platform;
let server: PlatformServer;
let token = '';

beforeAll(async () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const options = { clock: () => now, random: createRandom(5), onError: (error: unknown) => crashes.push(error) };
  const tenant = createTenant(options);
  platform = tenant.platform;
  platform.populate({ assets: 20, threats: 20, dnsBlocks: 20 });
  token = await tenant.token();
  server = await startPlatformServer({ platform });
});

afterAll(() => server.close());

/** Milliseconds; a long run takes its time. */
const TIMEOUT = 20_000 + RUNS * 3;
const parameters = { numRuns: RUNS, seed: SEED };

test(
  `${RUNS} calls of any method, target and header get documented answers (seed ${SEED})`,
  async () => {
    const statuses = new Set<number>();
    const property = fc.asyncProperty(
      method,
      target,
      authorization,
      fc.oneof(fc.constant(''), nasty),
      async (verb, where, given, body) => {
        const header = (name: string): string | undefined =>
          name === 'authorization' ? (given === 'good' ? token : given) : undefined;
        const { answer } = await platform.serve({ method: verb, target: where, header, body });
        statuses.add(answer.status);
        expectDocumented(answer.status, answer.body);
      },
    );
    await fc.assert(property, parameters);
    expect(crashes).toEqual([]);
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 401, 404, 405]));
  },
  TIMEOUT,
);

test(
  `${RUNS} token requests of any form and header get OAuth answers (seed ${SEED})`,
  async () => {
    const { clientId, clientSecret } = platform.account;
    const property = fc.asyncProperty(
      tokenForm,
      credential(clientId, clientSecret),
      contentType,
      async (body, header, type) => {
        const headers: Record<string, string> = { authorization: header, 'content-type': type };
        const { answer } = await platform.serve({
          method: 'POST',
          target: platform.tokenPath,
          header: name => headers[name],
          body,
        });
        expect([200, 400, 401]).toContain(answer.status);
        expect(JSON.parse(answer.body)).toHaveProperty(answer.status === 200 ? 'access_token' : 'error');
      },
    );
    await fc.assert(property, parameters);
    expect(crashes).toEqual([]);
  },
  TIMEOUT,
);

test(
  `${Math.ceil(RUNS / 5)} raw connections with broken requests get problem documents or are closed (seed ${SEED})`,
  async () => {
    const property = fc.asyncProperty(rawRequest, async text => {
      const bytes = text.replace(AUTHORIZED, `authorization: ${token}`);
      for (const { status, body } of answersIn(await exchange(bytes))) expectDocumented(status, body);
    });
    await fc.assert(property, { ...parameters, numRuns: Math.ceil(RUNS / 5) });
    expect(crashes).toEqual([]);
    expect((await fetch(`${server.baseUrl}/v1/assets`, { headers: { authorization: token } })).status).toBe(200);
  },
  TIMEOUT,
);

function expectDocumented(status: number, body: string): void {
  expect(body).not.toMatch(/\bat .*\.ts:\d+|node:internal/);
  if (status < 400 || body === '') return;
  const { type } = JSON.parse(body) as { type: string };
  const suffix = Object.keys(PROBLEMS).find(known => type.endsWith(known)) as keyof typeof PROBLEMS;
  expect(PROBLEMS[suffix]?.[0]).toBe(status);
  expect(status).not.toBe(500);
}

async function exchange(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of socket) chunks.push(chunk as Buffer);
  } catch {
    // A reset is one of the ways in which a connection may end.
  }
  return Buffer.concat(chunks).toString('latin1');
}

/** The answers on a connection, cut by their Content-Length; interim ones have no body. */
function answersIn(text: string): { status: number; body: string }[] {
  const answers: { status: number; body: string }[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    expect(status).toBeGreaterThanOrEqual(100);
    answers.push({ status, body: rest.slice(end, end + length) });
    rest = rest.slice(end + length);
  }
  return answers;
}
