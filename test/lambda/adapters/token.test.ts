import { describe, expect, test } from '@jest/globals';
import type { ClientCredentials } from '../../../lambda/adapters/credentials.ts';
import { createTokens, refusedOnce, tokenEndpoint } from '../../../lambda/adapters/token.ts';
import { ApiUnavailableError, CredentialsError } from '../../../lambda/core/errors.ts';
import { createDraw } from '../../../local/platform/draw.ts';
import { createPlatform } from '../../../local/platform/platform.ts';
import { startPlatformServer } from '../../../local/platform/server.ts';
import { type Act, httpStand, json, reset, type SeenRequest, silence } from '../support/http-stand.ts';
import { patience, steppedClock } from '../support/stepped-clock.ts';
import { rejection, wordsOf } from '../support/words.ts';

const PATH = '/protocol/openid-connect/token';
const issued = (token: string, seconds?: number) =>
  json(200, { access_token: token, token_type: 'Bearer', ...(seconds === undefined ? {} : { expires_in: seconds }) });
const refused = (status: number, error: string) => json(status, { error, error_description: 'canary-description' });

/** Id and secret, each decoded by itself, as RFC 6749 §2.3.1 has them encoded. */
function basicParts(request: SeenRequest | undefined): string[] {
  const [, basic = ''] = /^Basic (.+)$/.exec(request?.headers.authorization ?? '') ?? [];
  const parts = Buffer.from(basic, 'base64').toString().split(':');
  return parts.map(part => decodeURIComponent(part.replaceAll('+', ' ')));
}

/** Tokens from a stand that plays the given acts, with credentials that change once read past the cache. */
async function scene(...acts: Act[]) {
  const server = await httpStand(...acts);
  const clock = steppedClock();
  const reads: boolean[] = [];
  const credentials = {
    async read({ fresh }: { readonly fresh: boolean }): Promise<ClientCredentials> {
      reads.push(fresh);
      return { clientId: 'client', clientSecret: fresh ? 'canary-rotated' : 'canary-secret' };
    },
  };
  const tokens = createTokens({ authUrl: server.url, credentials, fetch });
  const token = (budget?: number) => tokens.token(patience(clock, budget));
  return { server, clock, reads, tokens, token, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('the request for a token', () => {
  test.each([
    ['a+b%2F:c d', 'p+q%20r:s&t=u'],
    ['kénnung-ключ', 'säcret-鍵-🔑+%'],
    ['plain', ':'],
  ])(
    'carries %j and its secret form-urlencoded separately, and a form of nothing but grant_type',
    async (id, secret) => {
      await using server = await httpStand(issued('t', 300));
      const credentials = { read: async () => ({ clientId: id, clientSecret: secret }) };
      await createTokens({ authUrl: server.url, credentials, fetch }).token(patience(steppedClock()));
      const [{ headers, body, method, target }] = server.seen as [(typeof server.seen)[0]];
      expect({ method, target, body }).toEqual({ method: 'POST', target: PATH, body: 'grant_type=client_credentials' });
      expect(headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
      expect(basicParts(server.seen[0])).toEqual([id, secret]);
    },
  );

  test('is understood by the platform, whatever characters id and secret hold', async () => {
    const clientId = 'org+%:ü';
    const platform = createPlatform({ clock: Date.now, random: createDraw(7), clientId, clientSecret: '+%3A: ñ🔑&=' });
    const server = await startPlatformServer({ platform });
    const { clientSecret } = platform.account;
    const credentials = { read: async () => ({ clientId, clientSecret }) };
    const tokens = createTokens({ authUrl: server.authUrl, credentials, fetch });
    await expect(tokens.token(patience(steppedClock()))).resolves.toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    await server.close();
  });

  test.each([
    ['https://auth.example/realms/one', 'https://auth.example/realms/one'],
    ['https://auth.example/realms/one/', 'https://auth.example/realms/one'],
    [`https://auth.example/realms/one${PATH}`, 'https://auth.example/realms/one'],
    [`https://auth.example/realms/one${PATH}/`, 'https://auth.example/realms/one'],
  ])('goes to the token path, whether authUrl is the realm or the whole path: %s', (authUrl, realm) => {
    expect(tokenEndpoint(authUrl)).toBe(realm + PATH);
  });

  test('never follows a redirect: the credentials stay with their host', async () => {
    await using other = await httpStand(issued('stolen', 300));
    await using each = await scene(json(307, '', { location: `${other.url}${PATH}` }));
    expect(await rejection(each.token())).toBeInstanceOf(CredentialsError);
    expect(other.seen).toHaveLength(0);
  });
});

describe('a token', () => {
  test('is asked for once, however many callers need it', async () => {
    await using each = await scene(issued('one', 300));
    const all = await Promise.all(Array.from({ length: 20 }, () => each.token()));
    expect(new Set(all)).toEqual(new Set(['one']));
    expect(each.server.seen).toHaveLength(1);
  });

  test('is reused for its lifetime and renewed thirty seconds before expires_in', async () => {
    await using each = await scene(issued('one', 300), issued('two', 300));
    await each.token();
    each.clock.advance(269_999);
    expect(await each.token()).toBe('one');
    each.clock.advance(1);
    expect(await each.token()).toBe('two');
    expect(each.server.seen).toHaveLength(2);
  });

  test('without expires_in is taken to live for five minutes', async () => {
    await using each = await scene(issued('one'), issued('two'));
    await each.token();
    each.clock.advance(269_999);
    expect(await each.token()).toBe('one');
    each.clock.advance(1);
    expect(await each.token()).toBe('two');
  });

  test('that lives shorter than the margin is used for half its life', async () => {
    await using each = await scene(issued('one', 20), issued('two', 20));
    await each.token();
    each.clock.advance(9_999);
    expect(await each.token()).toBe('one');
    each.clock.advance(1);
    expect(await each.token()).toBe('two');
  });

  test('once discarded is replaced, but not a second time by a caller that held the old one', async () => {
    await using each = await scene(issued('one', 300), issued('two', 300), issued('three', 300));
    await each.token();
    each.tokens.discard('one');
    expect(await each.token()).toBe('two');
    each.tokens.discard('one');
    expect(await each.token()).toBe('two');
    expect(each.server.seen).toHaveLength(2);
  });
});

describe('a refusal of the credentials', () => {
  test.each([
    [401, 'invalid_client'],
    [401, 'unauthorized_client'],
    [401, 'invalid_request'],
    [400, 'invalid_client'],
  ])('(%i %s) reads the secret past the cache once, tries once more, then stands', async (status, code) => {
    await using each = await scene(refused(status, code));
    const error = await rejection(each.token());
    expect(error).toBeInstanceOf(CredentialsError);
    expect(error.message).toContain(`${status} ${code}`);
    expect(each.reads).toEqual([false, true]);
    expect(each.server.seen).toHaveLength(2);
    expect(wordsOf(error)).not.toContain('canary');
  });

  test('of a secret just rotated is mended by the fresh one', async () => {
    await using each = await scene(refused(401, 'unauthorized_client'), issued('one', 300));
    expect(await each.token()).toBe('one');
    const [, second] = each.server.seen;
    expect(basicParts(second)).toEqual(['client', 'canary-rotated']);
  });

  test('is heard once a run: other streams do not ask again', async () => {
    await using each = await scene(refused(401, 'invalid_client'));
    const once = refusedOnce(each.tokens);
    const first = await rejection(once.token(patience(each.clock)));
    const second = await rejection(once.token(patience(each.clock)));
    expect(second).toBe(first);
    expect(each.server.seen).toHaveLength(2);
    expect(await rejection(refusedOnce(each.tokens).token(patience(each.clock)))).toBeInstanceOf(CredentialsError);
    expect(each.server.seen).toHaveLength(4);
  });

  test('names the code only when it looks like one', async () => {
    await using each = await scene(json(401, { error: 'canary-Free Text' }));
    expect(wordsOf(await rejection(each.token()))).not.toContain('canary');
  });
});

describe('a token endpoint that stumbles', () => {
  test.each([
    ['503', json(503, '')],
    ['500', json(500, {})],
    ['429', json(429, '')],
    ['a reset', reset],
    ['an answer that is not JSON', json(200, '<html>canary</html>')],
    ['an answer without a token', json(200, { token_type: 'Bearer', canary: 'x' })],
  ])('(%s) is asked again, with the same credentials', async (_what, stumble) => {
    await using each = await scene(stumble, stumble, issued('one', 300));
    expect(await each.token()).toBe('one');
    expect(each.reads).toEqual([false]);
    expect(each.clock.pauses).toEqual([50, 100]);
  });

  test.each([
    ['seconds', () => '7'],
    ['a date', (now: number) => new Date(now + 7_000).toUTCString()],
  ])('names a time in %s, and is obeyed', async (_form, header) => {
    await using each = await scene(
      (response, request) => json(429, '', { 'retry-after': header(each.clock.now()) })(response, request),
      issued('one', 300),
    );
    expect(await each.token()).toBe('one');
    expect(each.clock.pauses).toEqual([7_050]);
  });

  test('longer than the time budget is given up, and blamed on no credentials', async () => {
    await using each = await scene(json(503, '', { 'retry-after': '60' }));
    expect(await rejection(each.token(60_000))).toBeInstanceOf(ApiUnavailableError);
    expect(each.server.seen).toHaveLength(1);
  });

  test('after eight tries is given up, without a word of what it answered', async () => {
    await using each = await scene(json(200, { access_token: '', canary: 'canary' }));
    const error = await rejection(each.token());
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(each.server.seen).toHaveLength(8);
    expect(wordsOf(error)).not.toContain('canary');
  });

  test('while an invocation ends is asked again for the next one, in its own time', async () => {
    await using each = await scene(silence, issued('one', 300));
    const ended = rejection(each.token(5_000));
    await each.server.arrived(1);
    const next = each.token();
    each.clock.advance(10_000);
    await ended;
    expect(await next).toBe('one');
  });

  test('without answering is asked again after ten seconds', async () => {
    await using each = await scene(silence, issued('one', 300));
    const token = each.token();
    await each.server.arrived(1);
    each.clock.advance(10_000);
    expect(await token).toBe('one');
  });
});
