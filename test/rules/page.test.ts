import { describe, expect, test } from '@jest/globals';
import { ContractError } from '../../lambda/core/errors.ts';
import { type PageRules, parsePage } from '../../lambda/core/page.ts';

const RULES: PageRules = {
  path: '/v1/assets',
  limit: 500,
  cut: ['stream_position', 'id'],
  configured: {},
  learned: {},
};

function read(body: unknown, change: Partial<PageRules> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { rows, nextCursor, names } = parsePage(Buffer.from(text), { ...RULES, ...change });
  return { ids: rows.map(({ taken }) => taken[1] && JSON.parse(taken[1])), nextCursor, names };
}

const one = [{ id: 'a' }];

/** Rule 3: the end of the stream is a null cursor and nothing else. */
test('an answer that has only a null cursor reads as an empty page', () => {
  expect(read({ next_cursor: null })).toMatchObject({ ids: [], nextCursor: null });
});

describe('rule 8: names that the specification leaves open are found by the values of the members', () => {
  test.each(['items', 'data', '', '__proto__', 'constructor', 'next_cursor'])(
    'the rows of a page are found under the member %j',
    name => {
      const body = `{${JSON.stringify(name)}:[{"id":"a"}],"p":{"next_cursor":"c","page_size":1}}`;
      expect(read(body)).toEqual({ ids: ['a'], nextCursor: 'c', names: { rows: name, pagination: 'p' } });
    },
  );

  test.each(['pagination', 'meta', '__proto__', 'constructor'])(
    'the pagination object of a page is found under the member %j',
    name => {
      const body = `{"rows":[{"id":"a"}],${JSON.stringify(name)}:{"next_cursor":"c","page_size":1}}`;
      expect(read(body)).toEqual({ ids: ['a'], nextCursor: 'c', names: { rows: 'rows', pagination: name } });
    },
  );

  const p = { next_cursor: null, page_size: 1 };
  const two = [{ id: 'x' }, { id: 'y' }];
  test.each<[string, object, string, unknown[]]>([
    ['the array of page_size objects with an id', { included: two, rows: one, idTags: ['a'], p }, 'rows', ['a']],
    [
      'the array in which one row has an id',
      { rows: [7, ...one], p: { ...p, page_size: 2 } },
      'rows',
      [undefined, 'a'],
    ],
    ['the only array of objects with an id', { warnings: ['w'], rows: one, p: { next_cursor: null } }, 'rows', ['a']],
    ['the array beside pagination members at the top', { rows: one, ...p }, 'rows', ['a']],
  ])('the rows of a page are %s', (_what, body, rows, ids) => {
    expect(read(body)).toMatchObject({ ids, names: { rows } });
  });

  test('an empty page does not teach a name for the rows, and leaves a learned name unchanged', () => {
    const page = { items: [], warnings: [], p: { next_cursor: null, page_size: 0 } };
    expect(read(page).names).toEqual({ rows: undefined, pagination: 'p' });
    expect(read(page, { learned: { rows: 'data' } }).names.rows).toBe('data');
  });

  test('a learned name decides which member holds the rows when several members could hold them', () => {
    const body = { a: one, b: [{ id: 'b' }], p: { next_cursor: null, page_size: 1 }, q: { next_cursor: 'x' } };
    expect(read(body, { learned: { rows: 'b', pagination: 'p' } })).toMatchObject({ ids: ['b'], nextCursor: null });
  });

  test('an answer is refused when its rows or its cursor are in other members than before', () => {
    const [rows, pagination] = [{ b: one }, { q: { next_cursor: 'c', page_size: 1 } }];
    const learned = { rows: 'a', pagination: 'p' };
    expect(() => read({ ...rows, p: pagination.q }, { learned })).toThrow(/no array "a"; members seen: "b", "p"/);
    expect(() => read({ a: one, ...pagination }, { learned })).toThrow(/no "p" with next_cursor/);
    expect(() => read({ a: one, next_cursor: 'c' }, { learned })).toThrow(/no "p" with next_cursor/);
    expect(() => read({ a: one, ...pagination }, { learned: { pagination: '' } })).toThrow(/no top of the answer/);
  });

  test('configured names take precedence over the content of a page', () => {
    const body = { a: one, b: [{ id: 'b' }], p: { next_cursor: 'c', page_size: 1 }, q: { next_cursor: 'x' } };
    const configured = { rows: 'b', pagination: 'q' };
    expect(read(body, { configured })).toMatchObject({ ids: ['b'], nextCursor: 'x', names: configured });
    expect(() => read({ a: one, q: { next_cursor: null } }, { configured })).toThrow(/no array "b".*"a", "q"/);
    expect(() => read({ b: one, p: { next_cursor: null } }, { configured })).toThrow(/no "q" with next_cursor/);
  });

  const page = { next_cursor: 'c', page_size: 1 };
  test.each<[string, unknown, RegExp]>([
    ['no array fits', { rows: [{ key: 'a' }], p: page }, /no array of objects.*"rows", "p"/],
    ['the ids are empty or not texts', { rows: [{ id: '' }], other: [{ id: 1 }], p: page }, /no array of objects/],
    ['page_size counts a row and no array holds it', { p: page }, /no array of objects/],
    ['several arrays fit', { a: one, b: one, p: page }, /more than one array.*"a", "b", "p"/],
    ['page_size fits none of several arrays', { a: one, b: one, p: { ...page, page_size: 7 } }, /more than one array/],
    ['several objects have next_cursor', { a: one, p: page, q: page }, /more than one member with next_cursor/],
    [
      'the answer and one of its objects have next_cursor',
      { a: one, p: page, next_cursor: 'c' },
      /more than one member/,
    ],
    ['next_cursor is a number', { a: one, p: { next_cursor: 7 } }, /next_cursor/],
    ['next_cursor is empty', { a: one, p: { next_cursor: '' } }, /next_cursor/],
  ])('a page causes a contract error that lists the members of the page when %s', (_what, body, message) => {
    const reading = () => read(body);
    expect(reading).toThrow(ContractError);
    expect(reading).toThrow(message);
  });

  test('an array whose length differs from page_size is read, but its name is not learned', () => {
    const body = { facets: [{ id: 'x' }], p: { next_cursor: 'c', page_size: 0 } };
    expect(read(body)).toMatchObject({ ids: ['x'], names: { rows: undefined } });
  });

  const none = { next_cursor: 'c', page_size: 0 };
  test.each<[string, unknown]>([
    ['an array of objects without an id', { items: [], rows: [{ name: 'a' }], p: none }],
    ['an array of arrays', { items: [], rows: [['a']], p: none }],
    ['an array of null', { items: [], rows: [null], p: none }],
    ['an array of plain values', { items: [], rows: [7], p: { ...none, page_size: 1 } }],
    ['an array of plain values alone', { rows: [7], p: none }],
    ['a nested array', { errors: [], data: { rows: one }, p: none }],
    ['a long array', { items: [], rows: [...Array(501).fill(1), ...one], p: none }],
  ])('a page is not treated as empty while %s may hold its rows', (_what, body) => {
    expect(() => read(body)).toThrow(/no array of objects with an id/);
  });

  test.each<[string, unknown]>([
    ['an empty array', { items: [], p: { next_cursor: 'c', page_size: 0 } }],
    ['an empty array and no page_size', { items: [], p: { next_cursor: 'c', page_size: null } }],
    ['an empty array and plain values', { items: [], tags: ['a'], n: null, p: { next_cursor: 'c', page_size: 0 } }],
    ['an empty array and objects', { items: [], links: { self: { href: '/' } }, p: { next_cursor: 'c' } }],
    ['pagination members and not an array', { next_cursor: 'c', page_size: 0 }],
    ['no array and nothing in its place', { version: 1, p: { next_cursor: 'c', page_size: 0 } }],
  ])('a page with %s is empty', (_what, body) => {
    expect(read(body)).toMatchObject({ ids: [], nextCursor: 'c', names: { rows: undefined } });
  });

  test.each([
    ['rows', '{"rows":[{"id":"a"}],"rows":[],"p":{"next_cursor":"c"}}'],
    ['rows', '{"rows":[],"\\u0072ows":[{"id":"a"}],"p":{"next_cursor":"c"}}'],
    ['version', '{"version":1,"rows":[{"id":"a"}],"p":{"next_cursor":"c"},"version":1}'],
    ['p', '{"p":{"next_cursor":"c"},"rows":[{"id":"a"}],"p":{"next_cursor":null}}'],
    ['next_cursor', '{"rows":[{"id":"a"}],"next_cursor":"c","next_cursor":null}'],
    ['next_cursor', '{"rows":[{"id":"a"}],"p":{"next_cursor":"c","next_cursor":null}}'],
    ['next_cursor', '{"rows":[{"id":"a"}],"p":{"next_cursor":"c","page_size":1,"next\\u005fcursor":"d"}}'],
    ['page_size', '{"rows":[],"p":{"next_cursor":"c","page_size":1,"page_size":0}}'],
  ])('a member name that occurs twice (%s) is a contract error, because one value would be lost: %s', (name, body) => {
    for (const names of [{}, { learned: { rows: 'rows' } }, { configured: { rows: 'rows' } }])
      expect(() => read(body, names)).toThrow(`more than one "${name}"; members seen: `);
  });

  test('a duplicate member name is not shown in the error if it may be data', () => {
    expect(() => read('{"web-17":1,"web-17":1,"p":{"next_cursor":null}}')).toThrow(
      'more than one (a name that is not shown); members seen: "p", 2 more.',
    );
  });

  test.each([
    ['names that were found before', { learned: { rows: 'items' } }, '"npx --no -- connectorctl resync <stream>"'],
    ['names that are unclear', {}, 'The options rowsMember and paginationMember'],
    ['names that the settings give', { configured: { rows: 'items' } }, 'Correct the option rowsMember'],
  ])('a contract error says how to correct %s', (_what, names, advice) => {
    const body = { items: [], assets: one, p: { next_cursor: 'c', page_size: 3 } };
    expect(() => read(body, names)).toThrow(new RegExp(`nothing is lost\\. .*${advice}`));
  });

  test.each([
    ['a cursor', '{"rows":[{"id":"a"}],"p":{"next_cursor":"\\ud800"}}'],
    ['the name of the rows', '{"\\ud800":[{"id":"a"}],"p":{"next_cursor":"c"}}'],
    ['the name of the pagination object', '{"rows":[{"id":"a"}],"\\udfff":{"next_cursor":"c"}}'],
  ])('%s with half a surrogate pair is refused early, because no table can hold it', (_what, body) => {
    expect(() => read(body)).toThrow(/not well-formed text/);
  });

  test('a contract error does not show values, or names that could be an id or a token', () => {
    const body = { 'web-17.example': 1, [`n${'x'.repeat(100)}`]: 'a-secret', rows: [{ key: 'a-secret' }], p: page };
    const reading = () => read(body);
    expect(reading).toThrow(/members seen: "rows", "p", 2 more\. /);
    expect(reading).not.toThrow(/a-secret|web-17|xxx/);
  });

  test('a contract error lists at most eight names', () => {
    const body = Object.fromEntries([...'abcdefghijklmnopqrstuvwxyz'].map(deadLetter => [deadLetter, 1]));
    expect(() => read(body)).toThrow('members seen: "a", "b", "c", "d", "e", "f", "g", "h", 18 more.');
  });
});

describe('an oversized answer is a contract error with a short message', () => {
  const rowsOf = (count: number, size: number | undefined = count, next: string | null = 'c') =>
    `{"rows":[${Array.from({ length: count }, (_, id) => `{"id":"${id}"}`).join()}],"p":${JSON.stringify({ next_cursor: next, page_size: size })}}`;

  test('a page with more rows than were requested is refused, with or without page_size', () => {
    const refusal = /8 rows.*limit of 7/;
    expect(() => read(rowsOf(8), { limit: 7 })).toThrow(refusal);
    expect(() => read(rowsOf(8).replace('"page_size":8', '"a":1'), { limit: 7 })).toThrow(refusal);
    expect(() => read(rowsOf(8), { limit: 7, configured: { rows: 'rows' } })).toThrow(refusal);
    expect(() => read(rowsOf(8), { limit: 7, learned: { rows: 'rows' } })).toThrow(refusal);
  });

  test('an array that does not hold the rows may be longer than the limit', () => {
    const body = { idTags: [1, 2, 3, 4, 5, 6, 7, 8, 9], rows: one, p: { next_cursor: null, page_size: 1 } };
    expect(read(body, { limit: 2 }).ids).toEqual(['a']);
  });

  test('a cursor longer than 64 KiB is refused, because the checkpoint keeps two cursors in one item', () => {
    const withCursor = (cursor: string) => read({ rows: one, p: { next_cursor: cursor, page_size: 1 } });
    expect(withCursor('é'.repeat(32_768)).nextCursor).toHaveLength(32_768);
    expect(() => withCursor(`${'é'.repeat(32_768)}c`)).toThrow(/next_cursor.*65536 bytes/);
    expect(() => withCursor('c'.repeat(450_000))).toThrow(/next_cursor.*65536 bytes/);
  });

  test('a member name longer than 256 bytes is refused', () => {
    const named = (name: string) => read({ [name]: one, p: { next_cursor: null, page_size: 1 } });
    expect(named('n'.repeat(256)).names.rows).toHaveLength(256);
    expect(() => named('n'.repeat(257))).toThrow(/256 bytes/);
    expect(() => named('n'.repeat(1_000_000))).toThrow(/^.{1,300}$/);
  });

  test('an answer with more than a thousand members is refused', () => {
    const members = (count: number) =>
      `{"p":{"next_cursor":null,"page_size":0}${Array.from({ length: count - 1 }, (_, n) => `,"a${n}":1`).join('')}}`;
    expect(read(members(1_000)).nextCursor).toBeNull();
    expect(() => read(members(1_001))).toThrow(/1000 members/);
    expect(() => read(members(1_000_000))).toThrow(/^.{1,300}$/);
  });
});

describe('rule 13: a row that is not UTF-8, or nested too deep', () => {
  const body = (text: string) => parsePage(Buffer.from(text, 'latin1'), RULES).rows.map(({ violation }) => violation);
  const deep = '['.repeat(600) + ']'.repeat(600);

  test('an unusable row is cut out of the page, and the other rows are read', () => {
    expect(body('{"rows":[{"id":"\xff"},{"id":"a"}],"p":{"next_cursor":null}}')).toEqual(['not-utf-8', undefined]);
    expect(body(`{"rows":[{"a":${deep},"id":"a"}],"p":{"next_cursor":null}}`)).toEqual(['too-deep']);
    expect(body(`{"rows":[{"id":"a"}],"p":{"next_cursor":null,"x":${deep}}}`)).toEqual([undefined]);
  });

  test.each(['"x":"\xff"', '"x":["\xff"]', '"\xff":1', '"x":{"\xff":1}', '\xff'])(
    'invalid UTF-8 outside the rows (%j) is a contract error',
    member => {
      const reading = () => body(`{"rows":[{"id":"a"}],${member},"p":{"next_cursor":null}}`);
      expect(reading).toThrow(ContractError);
      expect(reading).toThrow(/not UTF-8/);
    },
  );
});

describe('rule 12: an answer without next_cursor is a contract error, not an end', () => {
  test.each<[string, unknown]>([
    ['no pagination object', { rows: one }],
    ['a pagination object without next_cursor', { rows: one, pagination: { page_size: 1 } }],
    ['no member at all', {}],
    ['a list of pagination objects', { rows: one, pagination: [{ next_cursor: null }] }],
    ['a pagination object that is nested too deep', { rows: one, meta: { pagination: { next_cursor: null } } }],
  ])('an answer with %s is a contract error', (_what, body) => {
    expect(() => read(body)).toThrow(/no member with next_cursor; members seen: /);
  });

  test.each(['<html>', '[]', '{"rows":[', ''])(
    'the answer %j is a contract error, because it is not a JSON object',
    body => {
      expect(() => read(body)).toThrow(/\/v1\/assets.*not JSON/);
    },
  );
});
