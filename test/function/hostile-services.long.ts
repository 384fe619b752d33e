/**
 * The handler in a process of its own, against services that echo requests, answer a byte at a
 * time, or answer without end.
 */

import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { STREAMS } from '../../lambda/streams.ts';
import { parseEmf } from '../../local/alarms/emf.ts';
import { answerJson } from '../../local/incidents/tampered-api.ts';
import { bundle } from '../support/function/bundle.ts';
import { CANARY_SECRET, type Connector, canaries } from '../support/function/connector.ts';
import { echo, echoRaw } from '../support/function/echo.ts';
import { type FunctionRun, functionProcess } from '../support/function/function-process.ts';
import { type Act, httpHarness } from '../support/function/http-harness.ts';

/** The bundle starts in half the time of the sources. */
const built = await bundle();
afterAll(async () => built[Symbol.asyncDispose]());

/**
 * Everything that the function has shown, and which parts of a secret, a token or a row are in it.
 */
async function shownBy(
  each: Connector,
  environment: Readonly<Record<string, string>> = {},
  milliseconds = 4_000,
): Promise<{ readonly run: FunctionRun; readonly log: string; readonly leaks: readonly string[] }> {
  const run = await functionProcess(built.module, { ...each.environment, ...environment }, [{}], milliseconds);
  const tokens = each.api.seen.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
  const basic = Buffer.from(`${each.simulator.account.clientId}:${CANARY_SECRET}`).toString('base64');
  const shown = [run.stdout, run.stderr, run.rejections, JSON.stringify(run.outcomes)].join('\n');
  return {
    run,
    log: run.stdout + run.stderr,
    leaks: ['canary', basic, ...new Set(tokens)].filter(word => shown.includes(word)),
  };
}

function measured(what: string, { run }: { readonly run: FunctionRun }, began: number): void {
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${what}: ${Math.round(run.peakMegabytes)} MB, ${seconds} s\n${JSON.stringify(run.outcomes)}`);
}

/** A byte every 50 milliseconds, without end. */
const drip: Act = response => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};

describe('services that send one byte at a time or echo every request', () => {
  test.each<[string, { readonly token?: boolean }, RegExp]>([
    ['the API', {}, /OutOfTimeError.*\/v1\/assets/],
    ['the token endpoint', { token: true }, /OutOfTimeError.*token endpoint/i],
  ])('a run ends in time and releases the lease when %s sends one byte at a time', async (what, { token }, message) => {
    await using each = await canaries();
    await using endpoint = await httpHarness(drip);
    if (!token) each.api.tamper(() => drip);
    const began = Date.now();
    const shown = await shownBy(each, token ? { AUTH_URL: endpoint.url } : {}, 5_000);
    measured(`drip, ${what}`, shown, began);
    expect(shown.run.rejections).toMatch(message);
    expect(shown.log).toMatch(message);
    const metrics = parseEmf(shown.run.stdout);
    expect(metrics).toHaveLength(STREAMS.length + 1);
    expect(metrics.at(-1)!.figures['TimeLeftMilliseconds']).toBeGreaterThan(0);
    each.api.tamper();
    const { run } = await shownBy(each);
    expect(run.outcomes).toMatchObject([{ more: false, streams: { assets: { forwarded: 1, caughtUp: true } } }]);
  });

  test.each<[string, Act]>([
    ['refusals', echo(400)],
    ['pages', echo(200)],
    ['bytes that are not HTTP', echoRaw],
  ])('a log or an error contains no text of an API that echoes requests in %s', async (_what, act) => {
    await using each = await canaries();
    each.api.tamper(() => act);
    const { run, log, leaks } = await shownBy(each);
    expect(run.rejections).toContain('StreamsFailedError');
    expect(log).toContain('"level":"ERROR"');
    expect(leaks).toEqual([]);
  });

  test.each<[string, Act]>([
    ['refusals', echo(400)],
    ['tokens', echo(200)],
    ['bytes that are not HTTP', echoRaw],
  ])('a log or an error contains no text of a token endpoint that echoes requests in %s', async (_what, act) => {
    await using each = await canaries();
    await using endpoint = await httpHarness(act);
    const { run, leaks } = await shownBy(each, { AUTH_URL: endpoint.url });
    expect(endpoint.seen.length).toBeGreaterThan(0);
    expect(run.rejections).toMatch(/token endpoint/i);
    expect(leaks).toEqual([]);
  });

  test.each([
    ['Secrets Manager', 'SECRETS_MANAGER', /CredentialsError/, 400],
    ['Firehose', 'FIREHOSE', /DeliveryError/, 400],
    ['DynamoDB', 'DYNAMODB', /StateError/, 400],
    ['S3', 'S3', /DeadLetterError/, 403],
  ])('a log or an error contains no text of a request that %s echoes', async (_what, service, error, status) => {
    await using each = await canaries();
    // A row without an id is written to S3.
    const page = answerJson(200, {
      rows: [{ id: 'canary' }, { text: 'canary' }],
      p: { next_cursor: null, page_size: 2 },
    });
    if (service === 'S3') each.api.tamper(() => page);
    await using endpoint = await httpHarness(echo(status, service === 'S3' ? 'application/xml' : undefined));
    const { run, leaks } = await shownBy(each, { [`AWS_ENDPOINT_URL_${service}`]: endpoint.url });
    expect(endpoint.seen.length).toBeGreaterThan(0);
    expect(run.rejections).toMatch(error);
    expect(leaks).toEqual([]);
  });

  test('a log or an error does not contain the secret that an error of Secrets Manager quotes', async () => {
    await using each = await canaries();
    await using endpoint = await httpHarness(
      answerJson(400, { __type: 'DecryptionFailure', message: CANARY_SECRET, SecretString: CANARY_SECRET }),
    );
    const { log, leaks } = await shownBy(each, { AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint.url });
    expect(log).toContain('DecryptionFailure');
    expect(log).toContain('HTTP 400');
    expect(leaks).toEqual([]);
  });

  test('the error about a refusal by AWS shows only the missing permission', async () => {
    await using each = await canaries();
    const message = `User: canary is not authorized to perform: secretsmanager:GetSecretValue on resource: canary`;
    await using endpoint = await httpHarness(answerJson(400, { __type: 'AccessDeniedException', message }));
    const { log, leaks } = await shownBy(each, { AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint.url });
    expect(log).toContain('not authorized to perform secretsmanager:GetSecretValue');
    expect(leaks).toEqual([]);
  });
});

/** As much as the socket takes, until the reader closes it. */
const flood: Act = response => {
  const piece = Buffer.alloc(65_536, ' ');
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => {
    while (!response.closed && response.write(piece));
  };
  response.on('drain', more);
  more();
};

/** A thousand times as large as on the wire. */
const bombed = Buffer.from(gzipSync(Buffer.alloc(200_000_000, ' ')));
const bomb: Act = response => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  response.writeHead(200, headers).end(bombed);
};

const MOST_MEGABYTES = 700;

describe('services that send without end', () => {
  test.each<[string, Act, string]>([
    ['body that does not end', flood, '33554432 bytes'],
    ['body that grows a thousandfold', bomb, '33554432 bytes'],
    [
      'page of 1,300,000 rows',
      answerJson(
        200,
        `{"rows":[${'{"id":"a"},'.repeat(1_299_999)}{"id":"a"}],"p":{"next_cursor":null,"page_size":1300000}}`,
      ),
      '1300000 rows',
    ],
    [
      'row of a million members',
      answerJson(
        200,
        `{"rows":[{"id":"a",${Array.from({ length: 1_000_000 }, (_, n) => `"${n}":1`).join()}}],"p":{"next_cursor":null,"page_size":1}}`,
      ),
      'caughtUp',
    ],
  ])('a %s from the API uses limited memory and does not appear in the answer', async (what, act, message) => {
    await using each = await canaries();
    each.api.tamper(({ target }) => (target.startsWith('/v1/assets') ? act : undefined));
    const began = Date.now();
    const shown = await shownBy(each, {}, 60_000);
    measured(`flood, ${what}`, shown, began);
    const outcomes = JSON.stringify(shown.run.outcomes);
    expect(outcomes).toContain(message);
    expect(outcomes.length).toBeLessThan(2_000);
    expect(shown.run.peakMegabytes).toBeLessThan(MOST_MEGABYTES);
  });

  test.each<[string, Act]>([
    ['body that does not end', flood],
    ['body that grows a thousandfold', bomb],
  ])('a %s from the token endpoint uses limited memory', async (what, act) => {
    await using each = await canaries();
    await using endpoint = await httpHarness(act);
    const began = Date.now();
    const shown = await shownBy(each, { AUTH_URL: endpoint.url }, 4_000);
    measured(`flood, token, ${what}`, shown, began);
    expect(shown.run.rejections).toContain('its answer is too large');
    expect(shown.run.peakMegabytes).toBeLessThan(MOST_MEGABYTES);
  });
});
