/** Refused cursors, pages too large or too slow, answers that are not JSON. */
import { describe, expect, test } from '@jest/globals';
import {
  ApiRefusedError,
  ContractError,
  CursorRefusedError,
  PageTimeoutError,
  PageTooLargeError,
} from '../../../lambda/core/errors.ts';
import { ScriptedApi } from './support/api.ts';
import { ids, PATH, page, walked } from './support/walked.ts';

const refused = () => new CursorRefusedError(PATH);

describe('rule 7: cursors', () => {
  test('are passed on as they are, whatever characters they hold', async () => {
    const cursors = ['+/=&?#%', ' \u0000"\\', '日本😀', 'null', 'x'.repeat(10_000)];
    const api = new ScriptedApi().on(PATH, undefined, page('', cursors[0]!));
    for (const [index, each] of cursors.entries()) api.on(PATH, each, page('', cursors[index + 1] ?? null));
    await walked(api);
    expect(api.sent(PATH)).toEqual([undefined, ...cursors]);
  });

  test('refused: first the previous saved cursor', async () => {
    const api = new ScriptedApi().on(PATH, 'now', refused()).on(PATH, 'before', page('a', null));
    const { pages, refusals, error } = await walked(api, { cursor: 'now', previous: 'before' });
    expect(api.sent(PATH)).toEqual(['now', 'before']);
    expect([pages.map(({ sent }) => sent), refusals, error]).toEqual([['before'], 1, undefined]);
  });

  test('refused as well: from the beginning', async () => {
    const api = new ScriptedApi()
      .on(PATH, 'now', refused())
      .on(PATH, 'before', refused())
      .on(PATH, undefined, page('a', null));
    const { pages, refusals } = await walked(api, { cursor: 'now', previous: 'before' });
    expect(api.sent(PATH)).toEqual(['now', 'before', undefined]);
    expect([pages.map(ids), refusals]).toEqual([['a'], 2]);
  });

  test('refused without a previous one, or with the same: at once from the beginning', async () => {
    for (const previous of [undefined, 'now']) {
      const api = new ScriptedApi().on(PATH, 'now', refused()).on(PATH, undefined, page('a', null));
      await walked(api, { cursor: 'now', previous });
      expect(api.sent(PATH)).toEqual(['now', undefined]);
    }
  });

  test('refused amid the walk: back to the one that has just worked', async () => {
    const api = new ScriptedApi()
      .on(PATH, 'c1', page('a', 'c2'), page('a', 'c3'))
      .on(PATH, 'c2', refused())
      .on(PATH, 'c3', page('b', null));
    await walked(api, { cursor: 'c1', previous: 'c0' });
    expect(api.sent(PATH)).toEqual(['c1', 'c2', 'c1', 'c3']);
  });

  test('refused within the walk, and the previous one too: the walk restarts and treats no cursor as repeated', async () => {
    const api = new ScriptedApi()
      .on(PATH, undefined, page('a', 'c1'), page('a', 'c1'))
      .on(PATH, 'c1', page('b', 'c2'), refused(), page('b', 'c3'))
      .on(PATH, 'c2', refused())
      .on(PATH, 'c3', page('c', null));
    const { pages, error } = await walked(api);
    expect(api.sent(PATH)).toEqual([undefined, 'c1', 'c2', 'c1', undefined, 'c1', 'c3']);
    expect(pages.map(({ rewound, repeats }) => [rewound, repeats])).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [false, false],
      [false, false],
    ]);
    expect(error).toBeUndefined();
  });

  test('each fallback is tried once a walk: a cursor that is always refused fails the walk', async () => {
    const api = new ScriptedApi()
      .on(PATH, 'c', refused())
      .on(PATH, undefined, page('a', 'c'))
      .on(PATH, 'before', page('b', 'c'));
    const { error, refusals } = await walked(api, { cursor: 'c', previous: 'before' });
    expect(api.sent(PATH)).toEqual(['c', 'before', 'c', undefined, 'c']);
    expect([error, refusals]).toEqual([expect.any(CursorRefusedError), 3]);
  });

  test('any other 400 fails the walk at once, with the type of the problem', async () => {
    const problem = new ApiRefusedError(PATH, 400, 'auth/missing-token');
    const api = new ScriptedApi().on(PATH, 'c', problem);
    const { error } = await walked(api, { cursor: 'c', previous: 'b' });
    expect(api.sent(PATH)).toEqual(['c']);
    expect(String(error)).toMatch(/400.*auth\/missing-token/);
  });
});

describe('rule 12: a page too large or too slow', () => {
  const tooLarge = () => new PageTooLargeError(PATH, 1000);
  const tooSlow = () => new PageTimeoutError(PATH, 1000);

  test.each([
    ['too large', tooLarge],
    ['too slow', tooSlow],
  ])('%s: asked again with half the limit, which grows back page by page', async (_what, error) => {
    const api = new ScriptedApi()
      .on(PATH, undefined, error(), error(), error(), page('a', 'c1'))
      .on(PATH, 'c1', page('b', 'c2'))
      .on(PATH, 'c2', page('c', 'c3'))
      .on(PATH, 'c3', page('d', 'c4'))
      .on(PATH, 'c4', page('e', null));
    const { pages } = await walked(api, { limit: 500 });
    expect(api.requests.map(({ limit }) => limit)).toEqual([500, 250, 125, 62, 124, 248, 496, 500]);
    expect(pages.map(ids)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([
    ['too large', tooLarge],
    ['too slow', tooSlow],
  ])('%s even for a single row: the stream fails', async (_what, error) => {
    const api = new ScriptedApi().on(PATH, undefined, error());
    const outcome = await walked(api, { limit: 10 });
    expect(api.requests.map(({ limit }) => limit)).toEqual([10, 5, 2, 1]);
    expect(String(outcome.error)).toBe(String(error()));
  });

  test('an answer without next_cursor fails the walk, it does not end it', async () => {
    const api = new ScriptedApi().on(PATH, undefined, '{"items":[{"id":"a"}],"pagination":{"page_size":1}}');
    const { error, pages } = await walked(api);
    expect([error, pages]).toEqual([expect.any(ContractError), []]);
    expect(api.requests).toHaveLength(1);
  });
});

describe('an answer that is not JSON', () => {
  test('is asked for again, after a pause', async () => {
    const api = new ScriptedApi().on(PATH, undefined, '<html>', page('a', null).slice(0, -1), page('a', null));
    const { pages, clock } = await walked(api);
    expect([pages.map(ids), clock.sleeps]).toEqual([['a'], [200, 400]]);
  });

  test('three times: it is a breach of the contract', async () => {
    const api = new ScriptedApi().on(PATH, undefined, '<html>');
    const { error } = await walked(api);
    expect([error, api.requests.length]).toEqual([expect.any(ContractError), 3]);
  });
});
