/** What the token endpoint may answer with: 64 KiB, within its time, of every status. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ApiUnavailableError, CredentialsError } from '../../../lambda/core/errors.ts';
import { type Act, json } from '../support/http-harness.ts';
import { issued, refused, tokenScene } from '../support/token-scene.ts';
import { rejection } from '../support/words.ts';

const TOKEN = { access_token: 'one', token_type: 'Bearer', expires_in: 300 };
const HEADERS = { 'content-type': 'application/json' };

/** A body of so many bytes, or the same compressed. */
const padded = (status: number, bytes: number, document: object = TOKEN) =>
  json(status, JSON.stringify(document).padEnd(bytes));
const bomb = (status: number, bytes: number, document: object = TOKEN): Act => {
  const body = gzipSync(JSON.stringify(document).padEnd(bytes));
  return response => response.writeHead(status, { ...HEADERS, 'content-encoding': 'gzip' }).end(body);
};
/** Begins a body, and never ends it. */
const drip = (status: number, begin: string): Act => {
  return response => response.writeHead(status, HEADERS).write(begin);
};

describe('the body of the token endpoint', () => {
  test.each([
    ['plain', padded],
    ['compressed', bomb],
  ])('(%s) is read up to 64 KiB', async (_form, act) => {
    await using each = await tokenScene(act(200, 65_536));
    expect(await each.token()).toBe('one');
  });

  test.each([
    ['plain', padded],
    ['compressed', bomb],
  ])('(%s) beyond 64 KiB is no token, and is asked for again', async (_form, act) => {
    await using each = await tokenScene(act(200, 65_537), act(200, 50_000_000), issued('two', 300));
    expect(await each.token()).toBe('two');
  });

  test('that always exceeds 64 KiB is an endpoint that cannot be used', async () => {
    await using each = await tokenScene(bomb(200, 1_000_000));
    const error = await rejection(each.token());
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(error.message).toContain('its answer exceeds 65536 bytes');
  });

  test.each([
    ['plain', padded],
    ['compressed', bomb],
  ])('(%s) of a refusal beyond 64 KiB is not read: the status says enough', async (_form, act) => {
    await using each = await tokenScene(act(400, 50_000_000, { error: 'invalid_client' }));
    const error = await rejection(each.token());
    expect(error).toBeInstanceOf(CredentialsError);
    expect(error.message).toContain('refused the client credentials (400)');
  });

  test('of a refusal names the OAuth error', async () => {
    await using each = await tokenScene(refused(400, 'invalid_client'));
    expect((await rejection(each.token())).message).toContain('(400 invalid_client)');
  });

  test('of a refusal that does not end is waited for as long as the request may take, then the status stands', async () => {
    await using each = await tokenScene(drip(400, '{"error":'));
    const token = rejection(each.token());
    for (const count of [1, 2]) {
      await each.begun(count);
      each.clock.advance(10_000);
    }
    expect((await token).message).toContain('refused the client credentials (400)');
    expect(each.reads).toEqual([false, true]);
  });

  test('that does not end is waited for no longer than the time left', async () => {
    await using each = await tokenScene(drip(200, '{"access_token":'));
    const token = rejection(each.token(4_000));
    await each.begun(1);
    each.clock.advance(4_000);
    expect(await token).toBeInstanceOf(ApiUnavailableError);
    expect(each.server.seen).toHaveLength(1);
  });
});
