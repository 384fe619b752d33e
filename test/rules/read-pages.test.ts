import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { ContractError, CursorRefusedError, PageTimeoutError, PageTooLargeError } from '../../lambda/core/errors.ts';
import { FollowedCursors } from '../../lambda/core/followed.ts';
import { isEndOfStream, type ReadPage, type ReadPagesOptions, readPages } from '../../lambda/core/read-pages.ts';
import { rowReadOptions } from '../../lambda/core/row.ts';
import type { PageSource } from '../../lambda/ports.ts';
import { streamOf } from '../../lambda/streams.ts';
import { sha256 } from '../../lambda/system.ts';
import { ScriptedApi } from '../support/core/api.ts';
import { answer, asset } from '../support/core/rows.ts';
import { type SteppedClock, steppedClock } from '../support/function/stepped-clock.ts';

const PATH = '/a';
const page = (ids: string, next: string | null): string =>
  answer(
    [...ids].map(id => asset(id)),
    next,
  );

interface Walked {
  readonly pages: ReadPage[];
  readonly api: ScriptedApi;
  readonly clock: SteppedClock;
  refusals: number;
  error: unknown;
}

const OPTIONS: Omit<ReadPagesOptions, 'source'> = {
  clock: steppedClock(),
  hash: sha256,
  path: PATH,
  ...rowReadOptions(streamOf('assets'), 'asset_id', sha256),
  cursor: undefined,
  previous: undefined,
  limit: 500,
  configuredNames: {},
  learnedNames: {},
  signal: new AbortController().signal,
  onRefusedCursor: () => undefined,
};

/** Bytes in use once the garbage is collected. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Reads pages until the end, an error, or `most` pages. */
async function walked(api: ScriptedApi, change: Partial<ReadPagesOptions> = {}, most = 20): Promise<Walked> {
  const clock = steppedClock();
  const outcome: Walked = { pages: [], api, clock, refusals: 0, error: undefined };
  const options = { ...OPTIONS, source: api, clock, onRefusedCursor: () => outcome.refusals++, ...change };
  try {
    for await (const each of readPages(options)) {
      outcome.pages.push(each);
      if (outcome.pages.length === most) break;
    }
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
}

const ids = ({ rows }: ReadPage): string => rows.map(row => ('id' in row ? row.id : '?')).join('');

/** Rule 1: an absent cursor is the beginning. */
test('a walk requests each page with the cursor of the previous page, but never sends null', async () => {
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

/** Rule 3: only null is the end. */
test('a short or empty page with a cursor does not end the walk', async () => {
  const api = new ScriptedApi().pages(PATH, [[asset('a'), asset('b')], [], [asset('c')], [], [asset('d')]]);
  expect((await walked(api, { limit: 2 })).pages.map(ids)).toEqual(['ab', '', 'c', '', 'd']);
});

describe('rule 4: a repeated cursor', () => {
  test('a walk ends at the page whose next cursor has already been followed', async () => {
    const api = new ScriptedApi().on(PATH, undefined, page('a', 'c1'));
    for (const [index, id] of [...'bcdefg'].entries()) api.on(PATH, `c${index + 1}`, page(id, `c${index + 2}`));
    api.on(PATH, 'c7', page('h', 'c1'));
    const { pages } = await walked(api);
    expect(pages.map(ids).join('')).toBe('abcdefgh');
    expect(pages.map(({ repeats }) => repeats)).toEqual([...Array(7).fill(false), true]);
  });

  test('a walk recognizes a known circle of cursors at its first repeated cursor', async () => {
    const api = new ScriptedApi().on(PATH, 'c7', page('h', 'c1')).on(PATH, 'c1', page('b', null));
    const known = await walked(api, { cursor: 'c7', previous: 'c1', isCircleKnown: true });
    expect(known.pages.flatMap(ids)).toEqual(['h']);
    expect(api.sent(PATH)).toEqual(['c7']);
    const { pages } = await walked(api, { cursor: 'c7', previous: 'c1' });
    expect(pages.flatMap(ids)).toEqual(['h', 'b']);
  });

  test('repeated requests and requests with a smaller limit do not count as repeated cursors', async () => {
    const api = new ScriptedApi()
      .on(PATH, 'c1', new PageTooLargeError(PATH, 1), '<html>', page('a', 'c2'))
      .on(PATH, 'c2', new PageTimeoutError(PATH, 1), page('b', null));
    const { pages } = await walked(api, { cursor: 'c1' });
    expect(pages.map(each => [ids(each), each.repeats])).toEqual([
      ['a', false],
      ['b', false],
    ]);
  });

  test('an empty page with a cursor ends the stream only if it repeats the cursor that was sent', () => {
    const row = { rows: [{}], sent: 'c', next: 'c', repeats: true } as unknown as ReadPage;
    expect(isEndOfStream({ ...row, rows: [] })).toBe(true);
    expect(isEndOfStream(row)).toBe(false);
    expect(isEndOfStream({ ...row, rows: [], next: 'b' })).toBe(false);
    expect(isEndOfStream({ ...row, next: null })).toBe(true);
  });
});

describe('a walk of many pages with long cursors', () => {
  test('a walk keeps only the newest cursor, but still recognizes a repeated cursor', async () => {
    let pages = 0;
    const source: PageSource = {
      page: async () => Buffer.from(page('', `${pages === 400 ? 7 : ++pages}${'c'.repeat(60_000)}`)),
    };
    const before = heapUsed();
    let grown = 0;
    const walk = readPages({ ...OPTIONS, source });
    for await (const _ of walk) {
      if (pages === 300) grown ||= heapUsed() - before;
    }
    expect(pages).toBe(400);
    expect(grown).toBeLessThan(6_000_000);
  });

  test('a walk remembers 100,000 followed cursors in less than 15 MB', () => {
    const before = heapUsed();
    const followed = new FollowedCursors(sha256);
    for (let index = 0; index < 100_000; index++) followed.add(`cursor ${index}`);
    expect(heapUsed() - before).toBeLessThan(15_000_000);
    expect(followed.has('cursor 99999')).toBe(true);
    expect(followed.has('cursor 100000')).toBe(false);
  });
});

/** Rule 8: names once found. */
test('learned member names are kept for the rest of the walk', async () => {
  const unclear = { a: [{ id: 'x' }], items: [{ id: 'b' }], pagination: { next_cursor: null, page_size: 1 } };
  const api = new ScriptedApi().on(PATH, undefined, page('a', 'c')).on(PATH, 'c', JSON.stringify(unclear));
  const { pages, error } = await walked(api);
  expect(pages.map(ids)).toEqual(['a', 'b']);
  expect(error).toBeUndefined();
  expect(pages[0]!.names).toEqual({ rows: 'items', pagination: 'pagination' });
});

describe('overlapping requests', () => {
  test('the next page is fetched while the current page is processed, but no further page is fetched', async () => {
    const api = new ScriptedApi().pages(PATH, [[asset('a')], [asset('b')], [asset('c')]]);
    await walked(api, {}, 1);
    expect(api.sent(PATH)).toEqual([undefined, 'c1']);
  });

  test('the request for the next page can be sent before the caller gets the current page', async () => {
    const steps: string[] = [];
    const api = new ScriptedApi().pages(PATH, [[asset('a')], [asset('b')]]);
    const source: PageSource = {
      page(request) {
        steps.push(`request ${request.cursor}`);
        return api.page(request);
      },
      async yieldToRequests() {
        await new Promise(setImmediate);
        steps.push('yielded');
      },
    };
    const { pages } = await walked(api, { source }, 1);
    expect(pages.map(ids)).toEqual(['a']);
    expect(steps).toEqual(['request undefined', 'request c1', 'yielded']);
  });
});

test('a walk that is left early aborts its open request and waits until the request has ended', async () => {
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

const refused = () => new CursorRefusedError(PATH);

describe('rule 7: cursors', () => {
  test('cursors are sent back unchanged, whatever characters they contain', async () => {
    const cursors = ['+/=&?#%', ' \u0000"\\', '日本😀', 'null', 'x'.repeat(10_000)];
    const api = new ScriptedApi().on(PATH, undefined, page('', cursors[0]!));
    for (const [index, each] of cursors.entries()) api.on(PATH, each, page('', cursors[index + 1] ?? null));
    await walked(api);
    expect(api.sent(PATH)).toEqual([undefined, ...cursors]);
  });

  test('a refused cursor without another previous cursor restarts the walk from the beginning at once', async () => {
    for (const previous of [undefined, 'now']) {
      const api = new ScriptedApi().on(PATH, 'now', refused()).on(PATH, undefined, page('a', null));
      await walked(api, { cursor: 'now', previous });
      expect(api.sent(PATH)).toEqual(['now', undefined]);
    }
  });

  test('a cursor that is refused in the middle of a walk is replaced by its predecessor', async () => {
    const api = new ScriptedApi()
      .on(PATH, 'c1', page('a', 'c2'), page('a', 'c3'))
      .on(PATH, 'c2', refused())
      .on(PATH, 'c3', page('b', null));
    await walked(api, { cursor: 'c1', previous: 'c0' });
    expect(api.sent(PATH)).toEqual(['c1', 'c2', 'c1', 'c3']);
  });

  test('a walk that restarts after refused cursors does not treat any cursor as repeated', async () => {
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

  test('a walk tries each fallback once, so a cursor that is always refused fails the walk', async () => {
    const api = new ScriptedApi()
      .on(PATH, 'c', refused())
      .on(PATH, undefined, page('a', 'c'))
      .on(PATH, 'before', page('b', 'c'));
    const { error, refusals } = await walked(api, { cursor: 'c', previous: 'before' });
    expect(api.sent(PATH)).toEqual(['c', 'before', 'c', undefined, 'c']);
    expect(error).toEqual(expect.any(CursorRefusedError));
    expect(refusals).toBe(3);
  });
});

describe('rule 12: a page too large or too slow', () => {
  const errors = [new PageTooLargeError(PATH, 1000), new PageTimeoutError(PATH, 1000)];

  test.each(errors)('a page that fails is requested with half the limit, which later grows back: %s', async error => {
    const api = new ScriptedApi()
      .on(PATH, undefined, error, error, error, page('a', 'c1'))
      .on(PATH, 'c1', page('b', 'c2'))
      .on(PATH, 'c2', page('c', 'c3'))
      .on(PATH, 'c3', page('d', 'c4'))
      .on(PATH, 'c4', page('e', null));
    const { pages } = await walked(api, { limit: 500 });
    expect(api.requests.map(({ limit }) => limit)).toEqual([500, 250, 125, 62, 124, 248, 496, 500]);
    expect(pages.map(ids)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each(errors)('a page that fails even with a limit of one row fails the stream: %s', async error => {
    const api = new ScriptedApi().on(PATH, undefined, error);
    const outcome = await walked(api, { limit: 10 });
    expect(api.requests.map(({ limit }) => limit)).toEqual([10, 5, 2, 1]);
    expect(outcome.error).toBe(error);
  });
});

describe('an answer that is not JSON', () => {
  test('an answer that is not JSON is requested again, after a pause', async () => {
    const api = new ScriptedApi().on(PATH, undefined, '<html>', page('a', null).slice(0, -1), page('a', null));
    const { pages, clock } = await walked(api);
    expect(pages.map(ids)).toEqual(['a']);
    expect(clock.pauses).toEqual([200, 400]);
  });

  test('an answer that is not JSON in three tries is a contract error', async () => {
    const api = new ScriptedApi().on(PATH, undefined, '<html>');
    const { error } = await walked(api);
    expect(error).toEqual(expect.any(ContractError));
    expect(api.requests.length).toBe(3);
  });
});
