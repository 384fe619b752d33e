import { describe, expect, test } from '@jest/globals';
import { ApiUnavailableError } from '../../../lambda/core/errors.ts';
import { json, reset, silence } from '../support/http-harness.ts';
import { issued, tokenScene } from '../support/token-scene.ts';
import { rejection, wordsOf } from '../support/words.ts';

describe('a token endpoint that stumbles', () => {
  test.each([
    ['503', json(503, '')],
    ['500', json(500, {})],
    ['429', json(429, '')],
    ['a reset', reset],
    ['an answer that is not JSON', json(200, '<html>canary</html>')],
    ['an answer without a token', json(200, { token_type: 'Bearer', canary: 'x' })],
  ])('(%s) is asked again, with the same credentials', async (_what, stumble) => {
    await using each = await tokenScene(stumble, stumble, issued('one', 300));
    expect(await each.token()).toBe('one');
    expect(each.reads).toEqual([false]);
    expect(each.clock.pauses).toEqual([50, 100]);
  });

  test.each([
    ['seconds', () => '7'],
    ['a date', (now: number) => new Date(now + 7_000).toUTCString()],
  ])('names a time in %s, and is obeyed', async (_form, header) => {
    await using each = await tokenScene(
      (response, request) => json(429, '', { 'retry-after': header(each.clock.now()) })(response, request),
      issued('one', 300),
    );
    expect(await each.token()).toBe('one');
    expect(each.clock.pauses).toEqual([7_050]);
  });

  test('longer than the time budget is given up, and blamed on no credentials', async () => {
    await using each = await tokenScene(json(503, '', { 'retry-after': '60' }));
    expect(await rejection(each.token(60_000))).toBeInstanceOf(ApiUnavailableError);
    expect(each.server.seen).toHaveLength(1);
  });

  test('after eight tries is given up, without a word of what it answered', async () => {
    await using each = await tokenScene(json(200, { access_token: '', canary: 'canary' }));
    const error = await rejection(each.token());
    expect(error).toBeInstanceOf(ApiUnavailableError);
    expect(each.server.seen).toHaveLength(8);
    expect(wordsOf(error)).not.toContain('canary');
  });

  test('while an invocation ends is asked again for the next one, in its own time', async () => {
    await using each = await tokenScene(silence, issued('one', 300));
    const ended = rejection(each.token(5_000));
    await each.server.arrived(1);
    const next = each.token();
    each.clock.advance(5_000);
    await ended;
    expect(await next).toBe('one');
  });

  test('and asks to be called again at once is asked no faster than the backoff', async () => {
    const busy = json(429, '', { 'retry-after': '0' });
    await using each = await tokenScene(busy, busy, busy, busy, issued('one', 300));
    expect(await each.token()).toBe('one');
    expect(each.clock.pauses).toEqual([50, 100, 200, 400]);
  });

  test('without answering is asked again after ten seconds', async () => {
    await using each = await tokenScene(silence, issued('one', 300));
    const token = each.token();
    await each.server.arrived(1);
    each.clock.advance(10_000);
    expect(await token).toBe('one');
  });
});
