import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, CredentialsError, OutOfTimeError } from '../../../lambda/core/errors.ts';
import type { ClientCredentials } from '../../../lambda/source/credentials.ts';
import { createTokenSource, tokenEndpoint, tokenSourceOfRun } from '../../../lambda/source/token.ts';
import { answerJson } from '../../../local/incidents/tampered-api.ts';
import { type Act, httpHarness, type SeenRequest, silence, watchedFetch } from '../../support/function/http-harness.ts';
import { expectRejection, rejection, wordsOf } from '../../support/function/rejection.ts';
import { retryBudget, steppedClock } from '../../support/function/stepped-clock.ts';

const PATH = '/protocol/openid-connect/token';
const issued = (token: string, seconds?: number) =>
  answerJson(200, {
    access_token: token,
    token_type: 'Bearer',
    ...(seconds === undefined ? {} : { expires_in: seconds }),
  });
const TOKEN = { access_token: 'one', token_type: 'Bearer', expires_in: 300 };
const refused = (status: number, error: string) =>
  answerJson(status, { error, error_description: 'canary-description' });

/** Id and secret, each decoded by itself, as RFC 6749 §2.3.1 has them encoded. */
function basicParts(request: SeenRequest | undefined): string[] {
  const [, basic = ''] = /^Basic (.+)$/.exec(request?.headers.authorization ?? '') ?? [];
  const parts = Buffer.from(basic, 'base64').toString().split(':');
  return parts.map(part => decodeURIComponent(part.replaceAll('+', ' ')));
}

/**
 * Tokens from a server that plays the given acts. The secret is rotated after it was first read.
 */
async function tokenScene(...acts: Act[]) {
  const server = await httpHarness(...acts);
  const clock = steppedClock();
  const read: string[] = [];
  const credentials = {
    async read(): Promise<ClientCredentials> {
      const clientSecret = read.length === 0 ? 'canary-secret' : 'canary-rotated';
      read.push(clientSecret);
      return { clientId: 'client', clientSecret };
    },
  };
  const { fetch, begun } = watchedFetch();
  const tokens = createTokenSource({ authUrl: server.url, credentials, fetch });
  const token = async (budget?: number) => (await tokens.token(retryBudget(clock, budget))).value;
  return { server, clock, begun, read, tokens, token, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('the request for a token', () => {
  test.each([
    ['a+b%2F:c d', 'p+q%20r:s&t=u'],
    ['kénnung-ключ', 'säcret-鍵-🔑+%'],
    ['plain', ':'],
  ])('a token request sends %j and its secret form-urlencoded, and only grant_type in its form', async (id, secret) => {
    await using server = await httpHarness(issued('t', 300));
    const credentials = { read: async () => ({ clientId: id, clientSecret: secret }) };
    await createTokenSource({ authUrl: server.url, credentials, fetch }).token(retryBudget(steppedClock()));
    const [{ headers, body, method, target }] = server.seen as [(typeof server.seen)[0]];
    expect({ method, target, body }).toEqual({ method: 'POST', target: PATH, body: 'grant_type=client_credentials' });
    expect(headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
    expect(basicParts(server.seen[0])).toEqual([id, secret]);
  });

  test.each([
    'https://auth.example/realms/one',
    'https://auth.example/realms/one/',
    `https://auth.example/realms/one${PATH}`,
    `https://auth.example/realms/one${PATH}/`,
  ])('the token path is appended unless authUrl already has the whole path: %s', authUrl => {
    expect(tokenEndpoint(authUrl)).toBe(`https://auth.example/realms/one${PATH}`);
  });

  test('a token request does not follow a redirect, so that the credentials stay with their host', async () => {
    await using other = await httpHarness(issued('stolen', 300));
    await using each = await tokenScene(answerJson(307, '', { location: `${other.url}${PATH}` }));
    expect(await rejection(each.token())).toBeInstanceOf(ApiRefusedError);
    expect(other.seen).toHaveLength(0);
  });
});

describe('a token', () => {
  test('a token is requested once, however many callers need it', async () => {
    await using each = await tokenScene(issued('one', 300));
    const all = await Promise.all(Array.from({ length: 20 }, () => each.token()));
    expect(new Set(all)).toEqual(new Set(['one']));
    expect(each.server.seen).toHaveLength(1);
  });

  test.each([
    ['lasts 300 seconds', 300, 'until thirty seconds before its end', 270_000],
    ['has no expires_in', undefined, 'as if it lasted five minutes', 270_000],
    ['lasts less than thirty seconds', 22, 'for half its lifetime', 11_000],
    ['lasts almost no time', 1e-9, 'for ten seconds', 10_000],
  ])('a token that %s (expires_in %p) is used %s', async (_what, life, _used, milliseconds) => {
    await using each = await tokenScene(issued('one', life), issued('two', life));
    await each.token();
    each.clock.advance(milliseconds - 1);
    expect(await each.token()).toBe('one');
    each.clock.advance(1);
    expect(await each.token()).toBe('two');
    expect(each.server.seen).toHaveLength(2);
  });

  test('a token belongs to the client that the secret contained when the token was requested', async () => {
    await using server = await httpHarness(issued('one', 300), issued('two', 300));
    const clock = steppedClock();
    const clients = ['first', 'second', 'third'];
    const credentials = { read: async () => ({ clientId: clients.shift()!, clientSecret: 's' }) };
    const tokens = createTokenSource({ authUrl: server.url, credentials, fetch });
    expect(await tokens.token(retryBudget(clock))).toMatchObject({ value: 'one', clientId: 'first' });
    clock.advance(269_999);
    expect(await tokens.token(retryBudget(clock))).toMatchObject({ value: 'one', clientId: 'first' });
    clock.advance(1);
    expect(await tokens.token(retryBudget(clock))).toMatchObject({ value: 'two', clientId: 'second' });
  });

  test('only a token of type Bearer is accepted, in upper or lower case', async () => {
    await using each = await tokenScene(answerJson(200, { ...TOKEN, token_type: 'BEARER' }));
    expect(await each.token()).toBe('one');
    await using other = await tokenScene(answerJson(200, { ...TOKEN, token_type: 'mac', access_token: 'canary' }));
    await expectRejection(other.token(), 'ApiUnavailableError');
  });

  test('a discarded token is replaced only once, even if a caller still holds the old token', async () => {
    await using each = await tokenScene(issued('one', 300), issued('two', 300), issued('three', 300));
    await each.token();
    each.tokens.discard({ value: 'one', clientId: 'client' });
    expect(await each.token()).toBe('two');
    each.tokens.discard({ value: 'one', clientId: 'client' });
    expect(await each.token()).toBe('two');
    expect(each.server.seen).toHaveLength(2);
  });
});

describe('a refusal of the credentials', () => {
  test.each([
    [401, 'invalid_client'],
    [400, 'invalid_client'],
  ])('refused credentials (%i %s) are read again and tried a second time, and then fail', async (status, code) => {
    await using each = await tokenScene(refused(status, code));
    await expectRejection(each.token(), 'CredentialsError', `${status} ${code}`);
    expect(each.read).toHaveLength(2);
    expect(each.server.seen).toHaveLength(2);
  });

  test('refused credentials are read again, so that a rotated secret takes effect', async () => {
    await using each = await tokenScene(refused(401, 'unauthorized_client'), issued('one', 300));
    expect(await each.token()).toBe('one');
    const [, second] = each.server.seen;
    expect(basicParts(second)).toEqual(['client', 'canary-rotated']);
  });

  test('refused credentials are reported to every stream of a run without another request', async () => {
    await using each = await tokenScene(refused(401, 'invalid_client'));
    const once = tokenSourceOfRun(each.tokens);
    const first = await rejection(once.token(retryBudget(each.clock)));
    const second = await rejection(once.token(retryBudget(each.clock)));
    expect(second).toBe(first);
    expect(each.server.seen).toHaveLength(2);
    expect(await rejection(tokenSourceOfRun(each.tokens).token(retryBudget(each.clock)))).toBeInstanceOf(
      CredentialsError,
    );
    expect(each.server.seen).toHaveLength(4);
  });

  test('refused credentials show the OAuth code only if the code has a valid form', async () => {
    await using each = await tokenScene(answerJson(401, { error: 'canary-Free Text' }));
    expect(wordsOf(await rejection(each.token()))).not.toContain('canary');
  });
});

describe('the body of the token endpoint', () => {
  const padded = (bytes: number) => answerJson(200, JSON.stringify(TOKEN).padEnd(bytes));
  const bomb: Act = response => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    response.writeHead(200, headers).end(gzipSync(JSON.stringify(TOKEN).padEnd(50_000_000)));
  };

  test('an answer of the token endpoint may have 64 KiB after decompression', async () => {
    await using each = await tokenScene(padded(65_536));
    expect(await each.token()).toBe('one');
    await using larger = await tokenScene(padded(65_537), bomb, issued('two', 300));
    expect(await larger.token()).toBe('two');
  });

  test('an endless answer of the token endpoint is read only until the time budget ends', async () => {
    const drip: Act = response => response.writeHead(200).write('{"access_token":');
    await using each = await tokenScene(drip);
    const token = rejection(each.token(4_000));
    await each.begun(1);
    each.clock.advance(4_000);
    expect(await token).toBeInstanceOf(OutOfTimeError);
    expect(each.server.seen).toHaveLength(1);
  });
});

describe('a token endpoint that fails', () => {
  test.each([
    ['503', answerJson(503, '')],
    ['an answer that is not JSON', answerJson(200, '<html>canary</html>')],
    ['an answer without a token', answerJson(200, { token_type: 'Bearer', canary: 'x' })],
  ])('a token endpoint that fails (%s) is called again with the same credentials', async (_what, stumble) => {
    await using each = await tokenScene(stumble, stumble, issued('one', 300));
    expect(await each.token()).toBe('one');
    expect(each.read).toHaveLength(1);
    expect(each.clock.pauses).toEqual([50, 100]);
  });

  test('a token endpoint that throttles until the time budget ends does not cause a failure', async () => {
    await using each = await tokenScene(answerJson(429, '', { 'ratelimit-reset': '60' }));
    await expectRejection(
      each.token(60_000),
      'OutOfTimeError',
      'before the token endpoint asks to be called again (429)',
    );
  });

  test('a token endpoint that keeps failing causes an error without any text of its answers', async () => {
    await using each = await tokenScene(answerJson(200, { access_token: '', canary: 'canary' }));
    await expectRejection(each.token(), 'ApiUnavailableError', 'it did not answer as OAuth 2.0 asks');
  });

  test('a token request that an ending invocation aborts is repeated by the next invocation', async () => {
    await using each = await tokenScene(silence, issued('one', 300));
    const ended = rejection(each.token(5_000));
    await each.server.arrived(1);
    const next = each.token();
    each.clock.advance(5_000);
    await ended;
    expect(await next).toBe('one');
  });
});
