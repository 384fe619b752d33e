import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, CredentialsError } from '../../../lambda/core/errors.ts';
import { createTokens, failingOnce, tokenEndpoint } from '../../../lambda/source/token.ts';
import { createRandom } from '../../../local/platform/draw.ts';
import { createPlatform } from '../../../local/platform/platform.ts';
import { startPlatformServer } from '../../../local/platform/server.ts';
import { httpHarness, json } from '../support/http-harness.ts';
import { retryBudget, steppedClock } from '../support/stepped-clock.ts';
import { basicParts, issued, PATH, refused, tokenScene } from '../support/token-scene.ts';
import { rejection, wordsOf } from '../support/words.ts';

describe('the request for a token', () => {
  test.each([
    ['a+b%2F:c d', 'p+q%20r:s&t=u'],
    ['kénnung-ключ', 'säcret-鍵-🔑+%'],
    ['plain', ':'],
  ])(
    'carries %j and its secret form-urlencoded separately, and a form of nothing but grant_type',
    async (id, secret) => {
      await using server = await httpHarness(issued('t', 300));
      const credentials = { read: async () => ({ clientId: id, clientSecret: secret }) };
      await createTokens({ authUrl: server.url, credentials, fetch }).token(retryBudget(steppedClock()));
      const [{ headers, body, method, target }] = server.seen as [(typeof server.seen)[0]];
      expect({ method, target, body }).toEqual({ method: 'POST', target: PATH, body: 'grant_type=client_credentials' });
      expect(headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
      expect(basicParts(server.seen[0])).toEqual([id, secret]);
    },
  );

  test('is understood by the platform, whatever characters id and secret hold', async () => {
    const clientId = 'org+%:ü';
    const platform = createPlatform({
      clock: Date.now,
      random: createRandom(7),
      clientId,
      clientSecret: '+%3A: ñ🔑&=',
    });
    const server = await startPlatformServer({ platform });
    const { clientSecret } = platform.account;
    const credentials = { read: async () => ({ clientId, clientSecret }) };
    const tokens = createTokens({ authUrl: server.authUrl, credentials, fetch });
    await expect(tokens.token(retryBudget(steppedClock()))).resolves.toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
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
    await using other = await httpHarness(issued('stolen', 300));
    await using each = await tokenScene(json(307, '', { location: `${other.url}${PATH}` }));
    expect(await rejection(each.token())).toBeInstanceOf(ApiRefusedError);
    expect(other.seen).toHaveLength(0);
  });
});

describe('a token', () => {
  test('is asked for once, however many callers need it', async () => {
    await using each = await tokenScene(issued('one', 300));
    const all = await Promise.all(Array.from({ length: 20 }, () => each.token()));
    expect(new Set(all)).toEqual(new Set(['one']));
    expect(each.server.seen).toHaveLength(1);
  });

  test('is reused for its lifetime and renewed thirty seconds before expires_in', async () => {
    await using each = await tokenScene(issued('one', 300), issued('two', 300));
    await each.token();
    each.clock.advance(269_999);
    expect(await each.token()).toBe('one');
    each.clock.advance(1);
    expect(await each.token()).toBe('two');
    expect(each.server.seen).toHaveLength(2);
  });

  test('without expires_in is taken to live for five minutes', async () => {
    await using each = await tokenScene(issued('one'), issued('two'));
    await each.token();
    each.clock.advance(269_999);
    expect(await each.token()).toBe('one');
    each.clock.advance(1);
    expect(await each.token()).toBe('two');
  });

  test('that lives shorter than the margin is used for half its life', async () => {
    await using each = await tokenScene(issued('one', 20), issued('two', 20));
    await each.token();
    each.clock.advance(9_999);
    expect(await each.token()).toBe('one');
    each.clock.advance(1);
    expect(await each.token()).toBe('two');
  });

  test('once discarded is replaced, but not a second time by a caller that held the old one', async () => {
    await using each = await tokenScene(issued('one', 300), issued('two', 300), issued('three', 300));
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
    await using each = await tokenScene(refused(status, code));
    const error = await rejection(each.token());
    expect(error).toBeInstanceOf(CredentialsError);
    expect(error.message).toContain(`${status} ${code}`);
    expect(each.reads).toEqual([false, true]);
    expect(each.server.seen).toHaveLength(2);
    expect(wordsOf(error)).not.toContain('canary');
  });

  test('of a secret just rotated is mended by the fresh one', async () => {
    await using each = await tokenScene(refused(401, 'unauthorized_client'), issued('one', 300));
    expect(await each.token()).toBe('one');
    const [, second] = each.server.seen;
    expect(basicParts(second)).toEqual(['client', 'canary-rotated']);
  });

  test('is heard once a run: other streams do not ask again', async () => {
    await using each = await tokenScene(refused(401, 'invalid_client'));
    const once = failingOnce(each.tokens);
    const first = await rejection(once.token(retryBudget(each.clock)));
    const second = await rejection(once.token(retryBudget(each.clock)));
    expect(second).toBe(first);
    expect(each.server.seen).toHaveLength(2);
    expect(await rejection(failingOnce(each.tokens).token(retryBudget(each.clock)))).toBeInstanceOf(CredentialsError);
    expect(each.server.seen).toHaveLength(4);
  });

  test('names the code only when it looks like one', async () => {
    await using each = await tokenScene(json(401, { error: 'canary-Free Text' }));
    expect(wordsOf(await rejection(each.token()))).not.toContain('canary');
  });
});
