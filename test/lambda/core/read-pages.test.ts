import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, ContractError } from '../../../lambda/core/errors.ts';
import type { PageSource } from '../../../lambda/ports.ts';
import { PAGE_LIMIT } from '../../../lambda/streams.ts';
import { ScriptedApi } from './support/api.ts';
import { asset } from './support/rows.ts';
import { ids, PATH, page, walked } from './support/walked.ts';

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

describe('overlap', () => {
  test('the next page is being fetched while this one is worked on, and no further one', async () => {
    const api = new ScriptedApi().pages(PATH, [[asset('a')], [asset('b')], [asset('c')]]);
    await walked(api, {}, 1);
    expect(api.sent(PATH)).toEqual([undefined, 'c1']);
  });

  test('an error of the page fetched ahead shows at its place', async () => {
    const api = new ScriptedApi().on(PATH, undefined, page('a', 'c1')).on(PATH, 'c1', new ApiRefusedError(PATH, 404));
    const { pages, error } = await walked(api);
    expect([pages.map(ids), error]).toEqual([['a'], expect.any(ApiRefusedError)]);
  });
});

test('a walk that is left early aborts the page that it had asked for, and ends when that request has', async () => {
  const api = new ScriptedApi().pages(PATH, [[asset('a')], [asset('b')], [asset('c')]]);
  const ended: string[] = [];
  const source: PageSource = {
    async page(request) {
      if (request.cursor === undefined) return api.page(request);
      await new Promise(resolve => request.signal.addEventListener('abort', resolve));
      await new Promise(setImmediate);
      ended.push('the request in flight');
      throw request.signal.reason;
    },
  };
  await walked(api, { source }, 1);
  ended.push('the walk');
  expect(ended).toEqual(['the request in flight', 'the walk']);
});
