import { describe, expect, test } from '@jest/globals';
import {
  AccountRevokedError,
  ApiRefusedError,
  CredentialsError,
  CursorRefusedError,
  RoleMissingError,
} from '../../../lambda/core/errors.ts';
import { json, problem } from '../../../local/incidents/tampered-api.ts';
import { apiScene } from '../../support/function/api-scene.ts';
import type { Act } from '../../support/function/http-harness.ts';
import { rejection, wordsOf } from '../../support/function/rejection.ts';

const PAGE = json(200, '{}');

describe('401', () => {
  test.each(['auth/expired-token', 'auth/invalid-token', 'auth/missing-token'])(
    '401 %s is answered with one new token and one retry',
    async suffix => {
      await using each = await apiScene([problem(401, suffix), PAGE]);
      expect(await each.page()).toBe('{}');
      expect(each.server.seen.map(request => request.headers.authorization)).toEqual([
        'Bearer canary-token-1',
        'Bearer canary-token-2',
      ]);
      expect(each.discarded).toEqual(['canary-token-1']);
      expect(each.clock.pauses).toEqual([]);
    },
  );

  test.each(['auth/expired-token', 'auth/invalid-token'])(
    '401 %s twice is a credentials error, and no loop',
    async suffix => {
      await using each = await apiScene([problem(401, suffix)]);
      const error = await rejection(each.page());
      expect(error).toBeInstanceOf(CredentialsError);
      expect(error.message).toContain(suffix);
      expect(each.server.seen).toHaveLength(2);
    },
  );

  test('401 auth/revoked-account fails at once, with an error that says so', async () => {
    await using each = await apiScene([problem(401, 'auth/revoked-account')]);
    const error = await rejection(each.page());
    expect(error).toBeInstanceOf(AccountRevokedError);
    expect(error.message).toContain('auth/revoked-account');
    expect(each.server.seen).toHaveLength(1);
    expect(each.discarded).toEqual([]);
  });

  test('401 without a problem document is answered with one new token as well', async () => {
    await using each = await apiScene([json(401, 'not JSON'), PAGE]);
    expect(await each.page()).toBe('{}');
  });
});

describe('403', () => {
  test('403 auth/insufficient-role fails at once and names the endpoint whose role is missing', async () => {
    await using each = await apiScene([problem(403, 'auth/insufficient-role')]);
    const error = await rejection(each.page());
    expect(error).toBeInstanceOf(RoleMissingError);
    expect(error.message).toContain('/v1/assets');
    expect(each.server.seen).toHaveLength(1);
  });

  test('403 of another type is refused like any other answer', async () => {
    await using each = await apiScene([problem(403, 'auth/other')]);
    expect(await rejection(each.page())).toBeInstanceOf(ApiRefusedError);
    expect(each.server.seen).toHaveLength(1);
  });
});

describe('400', () => {
  test.each([
    'https://problems.example/request/invalid-cursor',
    'urn:problem:request/invalid-cursor',
    'https://problems.example/types#request/invalid-cursor',
    'sde-request/invalid-cursor',
    'request/invalid-cursor',
    `https://problems.example/${'x'.repeat(2_000)}/request/invalid-cursor`,
  ])('400 whose type ends in request/invalid-cursor (case %#) is a refused cursor', async type => {
    await using each = await apiScene([json(400, { type })]);
    expect(await rejection(each.page())).toBeInstanceOf(CursorRefusedError);
    expect(each.server.seen).toHaveLength(1);
  });

  test.each([
    'request/invalid-cursors',
    'request/invalid-cursor/',
    'invalid-cursor',
    'x\nrequest/invalid-cursor',
    `${'x'.repeat(2_048)}/request/invalid-cursor`,
  ])('400 whose type only resembles request/invalid-cursor (case %#) is no refused cursor', async type => {
    await using each = await apiScene([json(400, { type })]);
    expect(await rejection(each.page())).toBeInstanceOf(ApiRefusedError);
  });

  test('400 of another type that the specification names fails at once, with status and type', async () => {
    await using each = await apiScene([problem(400, 'auth/insufficient-role', 'canary')]);
    const error = await rejection(each.page());
    expect(error).toBeInstanceOf(ApiRefusedError);
    expect(error).toMatchObject({ status: 400, type: 'auth/insufficient-role' });
    expect(error.message).toMatch(/400.*\/v1\/assets.*auth\/insufficient-role/);
    expect(each.server.seen).toHaveLength(1);
  });
});

describe('a refusal', () => {
  test.each([404, 405, 410, 422, 501])('a refusal with status %i is not repeated', async status => {
    await using each = await apiScene([problem(status, 'some/type')]);
    expect(await rejection(each.page())).toMatchObject({ name: 'ApiRefusedError', status });
    expect(each.server.seen).toHaveLength(1);
  });

  test('a refusal without a problem document is reported by its status, and its body is not quoted', async () => {
    await using each = await apiScene([json(404, '<html>canary</html>')]);
    const error = await rejection(each.page());
    expect(error.message).toContain('404');
    expect(wordsOf(error)).not.toContain('canary');
  });

  test.each([
    [400, 'auth'],
    [401, 'auth'],
    [401, 'auth/invalid-token'],
    [401, 'auth/revoked-account'],
    [403, 'auth/insufficient-role'],
    [404, 'auth'],
    [429, 'auth'],
    [500, 'auth'],
  ])('a refusal (%i %s) that echoes the request in every text shows none of it', async (status, suffix) => {
    const echo: Act = (response, { headers, target }) => {
      const request = `${headers.authorization} ${target}`;
      response.writeHead(status, request, { 'x-echo': request, 'content-type': 'application/problem+json' });
      const words = { [request]: request, type: `urn:${request}/${suffix}`, title: request, detail: request, status };
      response.end(JSON.stringify(words));
    };
    await using each = await apiScene([echo]);
    const words = wordsOf(await rejection(each.page({ cursor: 'canary-cursor' })));
    expect(words).not.toContain('canary');
    expect(words).toContain(String(status));
  });

  test('a refusal of a type that the specification does not name shows the status alone', async () => {
    await using each = await apiScene([problem(400, 'canary/row')]);
    const error = await rejection(each.page());
    expect(error.message).toMatch(/400.*\/v1\/assets/);
    expect(wordsOf(error)).not.toContain('canary');
  });
});
