import { describe, expect, test } from '@jest/globals';
import {
  ApiRefusedError,
  ContractError,
  CursorRefusedError,
  PageTimeoutError,
  PageTooLargeError,
} from '../../../lambda/core/errors.ts';
import { type WalkedPage, type WalkOptions, walk } from '../../../lambda/core/walk.ts';
import { PAGE_LIMIT } from '../../../lambda/streams.ts';
import { ScriptedApi } from './support/api.ts';
import { SteppedClock } from './support/clock.ts';
import { answer, asset } from './support/rows.ts';

const PATH = '/a';
const page = (ids: string, next: string | null) =>
  answer(
    [...ids].map(id => asset(id)),
    next,
  );
const refused = () => new CursorRefusedError(PATH);

interface Walked {
  readonly pages: WalkedPage[];
  readonly api: ScriptedApi;
  readonly clock: SteppedClock;
  refusals: number;
  error: unknown;
}

/** Walks until the end, an error, or `most` pages. */
async function walked(api: ScriptedApi, change: Partial<WalkOptions> = {}, most = 20): Promise<Walked> {
  const clock = new SteppedClock();
  const outcome: Walked = { pages: [], api, clock, refusals: 0, error: undefined };
  const options: WalkOptions = {
    source: api,
    clock,
    path: PATH,
    cut: { wanted: ['id'], excluded: 'stream_position' },
    cursor: undefined,
    previous: undefined,
    limit: 500,
    configuredNames: {},
    learnedNames: {},
    signal: new AbortController().signal,
    onRefusedCursor: () => outcome.refusals++,
    ...change,
  };
  try {
    for await (const each of walk(options)) {
      outcome.pages.push(each);
      if (outcome.pages.length === most) break;
    }
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
}

const ids = ({ rows }: WalkedPage) => rows.map(each => JSON.parse(each.wanted[0]!)).join('');

describe('rule 1: an absent cursor is the beginning', () => {
  test('the first request bears no cursor, the next ones that of the page before, and null is never sent', async () => {
    const api = new ScriptedApi().pages(PATH, [[asset('a')], [asset('b')], [asset('c')]]);
    const { pages } = await walked(api);
    expect(pages.map(ids)).toEqual(['a', 'b', 'c']);
    expect(api.sent(PATH)).toEqual([undefined, 'c1', 'c2']);
    expect(pages.map(({ sent, next }) => [sent, next])).toEqual([
      [undefined, 'c1'],
      ['c1', 'c2'],
      ['c2', null],
    ]);
  });

  test('a saved cursor is where the walk begins', async () => {
    const api = new ScriptedApi().on(PATH, 'saved', page('x', null));
    await walked(api, { cursor: 'saved' });
    expect(api.sent(PATH)).toEqual(['saved']);
  });
});

describe('rule 3: only null is the end', () => {
  test('short and empty pages with a cursor are not', async () => {
    const api = new ScriptedApi().pages(PATH, [[asset('a'), asset('b')], [], [asset('c')], [], [asset('d')]]);
    expect((await walked(api, { limit: 2 })).pages.map(ids)).toEqual(['ab', '', 'c', '', 'd']);
  });

  test('an empty page with null is', async () => {
    const { pages, error } = await walked(new ScriptedApi().on(PATH, 'c', page('', null)), { cursor: 'c' });
    expect([pages.map(ids), error]).toEqual([[''], undefined]);
  });
});

describe('rule 4: a cursor that comes back', () => {
  test('is told, and not asked for again before the page has been taken', async () => {
    const api = new ScriptedApi().on(PATH, 'c', page('a', 'c'));
    const { pages } = await walked(api, { cursor: 'c' }, 1);
    expect(pages[0]!.repeats).toBe(true);
    expect(api.sent(PATH)).toEqual(['c']);
  });

  test('may be followed, when the page brought something new', async () => {
    const api = new ScriptedApi().on(PATH, 'c', page('a', 'c'), page('b', null));
    const { pages } = await walked(api, { cursor: 'c' });
    expect(pages.map(each => [ids(each), each.repeats])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  test('is recognised also when it comes back some pages later', async () => {
    const api = new ScriptedApi().on(PATH, 'c', page('a', 'd')).on(PATH, 'd', page('b', 'c'));
    const { pages } = await walked(api, { cursor: 'c' }, 2);
    expect(pages.map(({ repeats }) => repeats)).toEqual([false, true]);
  });
});

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

  test('each fallback is tried once a walk: a cursor that is always refused fails the walk', async () => {
    const api = new ScriptedApi()
      .on(PATH, 'c', refused())
      .on(PATH, undefined, page('a', 'c'))
      .on(PATH, 'before', page('b', 'c'));
    const { error, refusals } = await walked(api, { cursor: 'c', previous: 'before' });
    expect(api.sent(PATH)).toEqual(['c', 'before', 'c', undefined, 'c']);
    expect([error, refusals]).toEqual([expect.any(CursorRefusedError), 3]);
  });

  test('any other 400 fails the walk at once, with the type and detail of the problem', async () => {
    const problem = new ApiRefusedError(PATH, 400, { type: 'urn:x:request/invalid-limit', detail: 'limit is odd' });
    const api = new ScriptedApi().on(PATH, 'c', problem);
    const { error } = await walked(api, { cursor: 'c', previous: 'b' });
    expect(api.sent(PATH)).toEqual(['c']);
    expect(String(error)).toMatch(/400.*request\/invalid-limit: limit is odd/);
  });
});

describe('rule 8: names once found', () => {
  test('are kept for the rest of the walk', async () => {
    const unclear = { a: [{ id: 'x' }], items: [{ id: 'b' }], pagination: { next_cursor: null, page_size: 1 } };
    const api = new ScriptedApi().on(PATH, undefined, page('a', 'c')).on(PATH, 'c', JSON.stringify(unclear));
    const { pages, error } = await walked(api);
    expect([pages.map(ids), error]).toEqual([['a', 'b'], undefined]);
    expect(pages[0]!.names).toEqual({ rows: 'items', pagination: 'pagination' });
  });

  test('given by the settings hold from the first page on', async () => {
    const unclear = { a: [{ id: 'x' }], items: [{ id: 'b' }], pagination: { next_cursor: null, page_size: 1 } };
    const api = new ScriptedApi().on(PATH, undefined, JSON.stringify(unclear));
    expect((await walked(api)).error).toBeInstanceOf(ContractError);
    expect((await walked(api, { configuredNames: { rows: 'a' } })).pages.map(ids)).toEqual(['x']);
  });
});

describe('rule 9: limit', () => {
  test('is 1..500, 500 by default', () => {
    expect(PAGE_LIMIT).toEqual({ min: 1, max: 500, default: 500 });
  });

  test.each([1, 7, 500])('of %i is asked for in every request', async limit => {
    const api = new ScriptedApi().pages(PATH, [[asset('a')], [asset('b')], []]);
    await walked(api, { limit });
    expect(api.requests.map(each => each.limit)).toEqual([limit, limit, limit]);
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
    expect([pages.map(ids), clock.sleeps]).toEqual([['a'], [1000, 1000]]);
  });

  test('three times: it is a breach of the contract', async () => {
    const api = new ScriptedApi().on(PATH, undefined, '<html>');
    const { error } = await walked(api);
    expect([error, api.requests.length]).toEqual([expect.any(ContractError), 3]);
  });
});

describe('overlap', () => {
  test('the next page is being fetched while this one is worked on, and no further one', async () => {
    const api = new ScriptedApi().pages(PATH, [[asset('a')], [asset('b')], [asset('c')]]);
    await walked(api, {}, 1);
    expect(api.sent(PATH)).toEqual([undefined, 'c1']);
  });

  test('an error of the page fetched ahead shows at its place', async () => {
    const api = new ScriptedApi()
      .on(PATH, undefined, page('a', 'c1'))
      .on(PATH, 'c1', new ApiRefusedError(PATH, 404, {}));
    const { pages, error } = await walked(api);
    expect([pages.map(ids), error]).toEqual([['a'], expect.any(ApiRefusedError)]);
  });
});
