/** The handler in a process of its own, against services that echo what they were sent, drip, or flood. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { type Connector, connector } from './support/connector.ts';
import { echo, echoRaw } from './support/echo.ts';
import { emfOf } from './support/emf.ts';
import { type FunctionRun, functionProcess, HANDLER } from './support/function-process.ts';
import { type Act, httpHarness, json } from './support/http-harness.ts';

const SECRET = 'canary-secret';

async function canaries(): Promise<Connector> {
  const each = await connector({ platform: { clientSecret: SECRET } });
  each.platform.putAsset({ id: 'canary-id', text: 'canary-row' });
  each.platform.putThreat({ id: 'canary-threat', asset_id: 'canary-id', text: 'canary-row' });
  each.platform.putDnsBlock({ id: 'canary-dns', text: 'canary-row' });
  return each;
}

/** Everything that the function has shown, with what it must not show: the secret, the token, anything of a row. */
async function shownBy(
  each: Connector,
  environment: Readonly<Record<string, string>> = {},
  milliseconds = 4_000,
): Promise<{ readonly run: FunctionRun; readonly log: string; readonly leaks: readonly string[] }> {
  const run = await functionProcess(HANDLER, { ...each.environment, ...environment }, [{}], milliseconds);
  const tokens = each.api.seen.map(({ headers }) => String(headers.authorization).replace('Bearer ', ''));
  const basic = Buffer.from(`${each.platform.account.clientId}:${SECRET}`).toString('base64');
  const shown = [run.stdout, run.stderr, run.rejections, JSON.stringify(run.outcomes)].join('\n');
  return {
    run,
    log: run.stdout + run.stderr,
    leaks: ['canary', basic, ...new Set(tokens)].filter(word => shown.includes(word)),
  };
}

describe('a service that echoes everything it was sent gets none of it into a log or an error', () => {
  test.each<[string, Act]>([
    ['refusals', echo(400)],
    ['refusals of the token', echo(401)],
    ['refusals of the role', echo(403)],
    ['server errors', echo(500)],
    ['pages', echo(200)],
    ['bytes that are no HTTP', echoRaw],
  ])('the API, in %s', async (_what, act) => {
    await using each = await canaries();
    each.api.tamper(() => act);
    const { run, log, leaks } = await shownBy(each);
    expect(run.rejections).toContain('StreamsFailedError');
    expect(log).toContain('"level":"ERROR"');
    expect(leaks).toEqual([]);
  });

  test.each<[string, Act]>([
    ['refusals', echo(400)],
    ['server errors', echo(500)],
    ['tokens', echo(200)],
    ['bytes that are no HTTP', echoRaw],
  ])('the token endpoint, in %s', async (_what, act) => {
    await using each = await canaries();
    await using endpoint = await httpHarness(act);
    const { run, leaks } = await shownBy(each, { AUTH_URL: endpoint.url });
    expect(endpoint.seen.length).toBeGreaterThan(0);
    expect(run.rejections).toMatch(/The token endpoint/);
    expect(leaks).toEqual([]);
  });

  test.each([
    ['Secrets Manager', 'SECRETS_MANAGER', 'CredentialsError', 400],
    ['Firehose', 'FIREHOSE', 'DeliveryError', 400],
    ['Firehose, in server errors', 'FIREHOSE', 'DeliveryError', 500],
    ['DynamoDB', 'DYNAMODB', 'StateError', 400],
    ['S3', 'S3', 'DeadLetterError', 403],
  ])('%s', async (_what, service, error, status) => {
    await using each = await canaries();
    // A row without an id is written to S3.
    const page = json(200, { rows: [{ id: 'canary' }, { text: 'canary' }], p: { next_cursor: null, page_size: 2 } });
    if (service === 'S3') each.api.tamper(() => page);
    await using endpoint = await httpHarness(echo(status, service === 'S3' ? 'application/xml' : undefined));
    const { run, leaks } = await shownBy(each, { [`AWS_ENDPOINT_URL_${service}`]: endpoint.url });
    expect(endpoint.seen.length).toBeGreaterThan(0);
    expect(run.rejections).toContain(error);
    expect(leaks).toEqual([]);
  });

  test('Secrets Manager whose answer is no secret, with the secret in it', async () => {
    await using each = await canaries();
    await using endpoint = await httpHarness(
      json(400, { __type: 'DecryptionFailure', message: SECRET, SecretString: SECRET }),
    );
    const { log, leaks } = await shownBy(each, { AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint.url });
    expect(log).toContain('DecryptionFailure');
    expect(log).toContain('HTTP 400');
    expect(leaks).toEqual([]);
  });

  test('AWS that refuses a permission: which one is missing is shown all the same', async () => {
    await using each = await canaries();
    const message = `User: canary is not authorized to perform: secretsmanager:GetSecretValue on resource: canary`;
    await using endpoint = await httpHarness(json(400, { __type: 'AccessDeniedException', message }));
    const { log, leaks } = await shownBy(each, { AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint.url });
    expect(log).toContain('not authorized to perform secretsmanager:GetSecretValue');
    expect(leaks).toEqual([]);
  });
});

/** A byte each few milliseconds, for ever. */
const drip: Act = response => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};

/** As much as the socket takes, for ever, or until the reader goes. */
const flood: Act = response => {
  const piece = Buffer.alloc(65_536, ' ');
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (): void => {
    while (!response.closed && response.write(piece));
  };
  response.on('drain', more);
  more();
};

/** Thousand times as large as it travels. */
const bombed = Buffer.from(gzipSync(Buffer.alloc(200_000_000, ' ')));
const bomb: Act = response => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  response.writeHead(200, headers).end(bombed);
};

const ends = (document: string): Act => json(200, `{${document},"p":{"next_cursor":null,"page_size":0}}`);
const MOST_MEGABYTES = 700;

function measured(what: string, { run }: { readonly run: FunctionRun }, began: number): void {
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${what}: ${Math.round(run.peakMegabytes)} MB, ${seconds} s\n${JSON.stringify(run.outcomes)}`);
}

describe('a service that drips', () => {
  test.each([
    ['the API', {}, /The time budget ended before \/v1\/assets had answered/],
    ['the token endpoint', { token: true }, /The token endpoint could not be read/],
  ])(
    '%s: the run ends within its time, its failures are logged, metrics emitted, and the lease is given back',
    async (what, { token }: { readonly token?: boolean }, message) => {
      await using each = await canaries();
      await using endpoint = await httpHarness(drip);
      if (!token) each.api.tamper(() => drip);
      const began = Date.now();
      const shown = await shownBy(each, token ? { AUTH_URL: endpoint.url } : {}, 5_000);
      measured(`drip, ${what}`, shown, began);
      expect(shown.run.rejections).toMatch(message);
      expect(shown.log).toMatch(message);
      const left = emfOf(shown.run.stdout).map(({ values }) => values['TimeLeftMilliseconds'] ?? 1);
      expect(left.length).toBe(4);
      expect(Math.min(...left)).toBeGreaterThan(0);
      each.api.tamper();
      expect(await each.run()).toMatchObject({ more: false, streams: { assets: { forwarded: 1, caughtUp: true } } });
    },
  );
});

describe('a service that floods takes no memory beyond the bounds, and nothing of its answer is sent', () => {
  test.each<[string, Act, string]>([
    ['body without an end', flood, 'exceeds 16777216 bytes'],
    ['body that grows a thousandfold', bomb, 'exceeds 16777216 bytes'],
    [
      'page of 1,300,000 rows',
      json(200, `{"rows":[${'{"id":"a"},'.repeat(1_299_999)}{"id":"a"}],"p":{"next_cursor":null,"page_size":1300000}}`),
      '1300000 rows, more than the limit of 500',
    ],
    [
      'page of 60,000 rows',
      json(200, `{"rows":[${'{"id":"a"},'.repeat(59_999)}{"id":"a"}],"p":{"next_cursor":null,"page_size":60000}}`),
      '60000 rows, more than the limit of 500',
    ],
    ['page of 8,000,000 numbers', ends(`"rows":[${'1,'.repeat(7_999_999)}1]`), '"caughtUp":true'],
    ['object of a million members', ends(`${'"a":1,'.repeat(999_999)}"a":1`), 'more than 1000 members'],
    ['name of a million characters', ends(`"${'n'.repeat(1_000_000)}":[]`), "a member's name longer than 256 bytes"],
    [
      'cursor of 450,000 characters',
      json(200, { rows: [{ id: 'a' }], p: { next_cursor: 'c'.repeat(450_000), page_size: 1 } }),
      'next_cursor is longer than 65536 bytes',
    ],
    [
      'row of a million members',
      json(
        200,
        `{"rows":[{"id":"a",${Array.from({ length: 1_000_000 }, (_, n) => `"${n}":1`).join()}}],"p":{"next_cursor":null,"page_size":1}}`,
      ),
      'caughtUp',
    ],
  ])('the API: a %s', async (what, act, message) => {
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
    ['body without an end', flood],
    ['body that grows a thousandfold', bomb],
  ])('the token endpoint: a %s', async (what, act) => {
    await using each = await canaries();
    await using endpoint = await httpHarness(act);
    const began = Date.now();
    const shown = await shownBy(each, { AUTH_URL: endpoint.url }, 4_000);
    measured(`flood, token, ${what}`, shown, began);
    expect(shown.run.rejections).toContain('its answer exceeds 65536 bytes');
    expect(shown.run.peakMegabytes).toBeLessThan(MOST_MEGABYTES);
  });
});
