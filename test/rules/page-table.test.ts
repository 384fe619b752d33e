/**
 * Walk rule 8 as a table: which answers are rows, which are an empty page, and which contradict
 * themselves.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ContractError } from '../../lambda/core/errors.ts';
import { type PageRules, parsePage } from '../../lambda/core/page.ts';
import type { MemberNames } from '../../lambda/ports.ts';

const A = '{"id":"a"}';
const B = '{"id":"b"}';
const C = '{"id":"c"}';

type Known = 'configured' | 'learned' | 'unknown';

function rulesOf(known: Known): PageRules {
  const names = { rows: 'items', pagination: 'p' };
  const by: Record<Known, { configured: MemberNames; learned: MemberNames }> = {
    configured: { configured: names, learned: {} },
    learned: { configured: {}, learned: names },
    unknown: { configured: {}, learned: {} },
  };
  return { path: '/a', limit: 500, cut: ['stream_position', 'id'], ...by[known] };
}

const bodyOf = (members: readonly string[], size: string | undefined, next: string) =>
  `{${[...members, `"p":{"next_cursor":${next}${size === undefined ? '' : `,"page_size":${size}`}}`].filter(Boolean)}}`;

/** `r`: the rows of `items`. `o`: the rows of `others`. `e`: an empty page. `-`: refused. */
function outcome(body: string, known: Known): string {
  try {
    const { rows } = parsePage(Buffer.from(body), rulesOf(known));
    return rows.length === 0 ? 'e' : rows.some(row => row.text === A) ? 'r' : 'o';
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return '-';
  }
}

/**
 * The values of page_size, one for each character of an outcome: absent, none, as many as others,
 * as many as items, too many, and not a count.
 */
const SIZES = [undefined, 'null', '0', '1', '2', '7', '-1', '1.5', '"2"', 'true'];
/**
 * The members of an answer, and its outcome with each page_size when the names are configured,
 * learned or unknown.
 */
const TABLE: readonly (readonly [
  items: string,
  others: string,
  configured: string,
  learned: string,
  unknown: string,
])[] = [
  // Rows under the known name are rows. Before it is known, `page_size` chooses where another
  // member may be the rows.
  [`"items":[${A},${B}]`, '', 'rrrrrrrrrr', 'rrrrrrrrrr', 'rrrrrrrrrr'],
  [`"items":[${A},${B}]`, '"others":[]', 'rrrrrrrrrr', 'rrrrrrrrrr', '----r-----'],
  [`"items":[${A},${B}]`, '"others":null', 'rrrrrrrrrr', 'rrrrrrrrrr', '----r-----'],
  [`"items":[${A},${B}]`, '"others":{}', 'rrrrrrrrrr', 'rrrrrrrrrr', '----r-----'],
  [`"items":[${A},${B}]`, `"others":[${C}]`, 'rrrrrrrrrr', 'rrrrrrrrrr', '---or-----'],
  [`"items":[${A},${B}]`, `"others":{"c":${C}}`, 'rrrrrrrrrr', 'rrrrrrrrrr', '----r-----'],
  [`"items":[${A},${B}]`, `"others":${C}`, 'rrrrrrrrrr', 'rrrrrrrrrr', 'rrrrrrrrrr'],
  [`"items":[${A},${B}]`, '"others":7', 'rrrrrrrrrr', 'rrrrrrrrrr', 'rrrrrrrrrr'],
  // An empty array is an empty page unless `page_size` counts rows, or another member may hold
  // them.
  ['"items":[]', '', 'eee-------', 'eee-------', 'eee-------'],
  ['"items":[]', '"others":[]', 'eee-------', 'eee-------', 'eee-------'],
  ['"items":[]', '"others":null', 'eee-------', 'eee-------', '--e-------'],
  ['"items":[]', '"others":{}', 'eee-------', 'eee-------', '--e-------'],
  ['"items":[]', `"others":[${C}]`, 'eee-------', '--e-------', '---o------'],
  ['"items":[]', `"others":{"c":${C}}`, 'eee-------', '--e-------', '----------'],
  ['"items":[]', `"others":${C}`, 'eee-------', '--e-------', '----------'],
  ['"items":[]', '"others":7', 'eee-------', 'eee-------', 'eee-------'],
  // The known member is missing: no other member may take its place, and a configured name is
  // binding.
  ['', '', '----------', 'eee-------', 'eee-------'],
  ['', '"others":[]', '----------', 'eee-------', 'eee-------'],
  ['', '"others":null', '----------', '----------', '----------'],
  ['', '"others":{}', '----------', '----------', '----------'],
  ['', `"others":[${C}]`, '----------', '----------', 'oooooooooo'],
  ['', `"others":{"c":${C}}`, '----------', '----------', '----------'],
  ['', `"others":${C}`, '----------', '----------', '----------'],
  ['', '"others":7', '----------', 'eee-------', 'eee-------'],
  // null, an empty object, rows by id and a row on its own are not arrays. One of them beside an
  // array of rows makes it unclear.
  ['"items":null', '', '----------', '----------', '----------'],
  ['"items":null', '"others":[]', '----------', '----------', '--e-------'],
  ['"items":null', `"others":[${C}]`, '----------', '----------', '---o------'],
  ['"items":{}', '', '----------', '----------', '----------'],
  ['"items":{}', '"others":[]', '----------', '----------', '--e-------'],
  ['"items":{}', `"others":[${C}]`, '----------', '----------', '---o------'],
  [`"items":{"a":${A},"b":${B}}`, '', '----------', '----------', '----------'],
  [`"items":{"a":${A},"b":${B}}`, '"others":[]', '----------', '----------', '----------'],
  [`"items":{"a":${A},"b":${B}}`, `"others":[${C}]`, '----------', '----------', '---o------'],
  [`"items":${A}`, '', '----------', '----------', '----------'],
  [`"items":${A}`, '"others":[]', '----------', '----------', '----------'],
  [`"items":${A}`, `"others":[${C}]`, '----------', '----------', 'oooooooooo'],
  ['"items":7', '', '----------', '----------', 'eee-------'],
  ['"items":7', '"others":[]', '----------', '----------', 'eee-------'],
  ['"items":7', `"others":[${C}]`, '----------', '----------', 'oooooooooo'],
  // A name comes once.
  [`"items":[${A},${B}]`, '"items":[]', '----------', '----------', '----------'],
  ['"items":[]', `"items":[${A},${B}]`, '----------', '----------', '----------'],
  ['"items":[]', '"items":[]', '----------', '----------', '----------'],
  [`"items":[${A},${B}]`, '"others":7,"others":7', '----------', '----------', '----------'],
];

describe('the reading of a page with and without a next cursor', () => {
  const cases = TABLE.flatMap(([items, others, ...outcomes]) =>
    (['configured', 'learned', 'unknown'] as const).map((known, at) => [known, items, others, outcomes[at]!] as const),
  );

  test.each(cases)(
    'member names that are %s make a page with the members {%s %s} read as %s',
    (known, items, others, expected) => {
      for (const next of ['null', '"c"']) {
        const found = SIZES.map(size => outcome(bodyOf([items, others], size, next), known));
        expect(found.join('')).toBe(expected);
      }
    },
  );
});

describe('an object with an id outside the rows', () => {
  /** Whether a value is, or holds, an object with an id. */
  const holdsId = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    ((!Array.isArray(value) && Object.hasOwn(value, 'id')) || Object.values(value).some(holdsId));

  const name = fc.constantFrom('items', 'others', 'errors', 'rows', 'next_cursor', 'page_size', '__proto__', 'id');
  const withId = fc.constantFrom<unknown>({ id: 'x' }, { id: 7 }, { id: 'y', tags: [] });
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, 0, '', 'id', true),
      fc.constant<unknown>([]),
      fc.constant<unknown>({}),
      withId,
      fc.array(withId, { maxLength: 3 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'items'), tie('value'), { maxKeys: 3 }),
    ),
  }));
  const member = fc.tuple(name, value);
  const size = fc.constantFrom<unknown>(undefined, null, 0, 1, 2, 7, -1, 0.5, '1', []);
  const pagination = fc.tuple(size, fc.constantFrom(null, 'c'), fc.oneof(fc.constant(undefined), value));
  const answers = fc.record({
    known: fc.constantFrom<Known>('configured', 'learned', 'unknown'),
    members: fc.array(member, { maxLength: 4 }),
    pagination,
  });

  test('an answer with an id outside its rows reads as empty only with configured names or page_size 0', () => {
    let empty = 0;
    const property = fc.property(answers, ({ known, members, pagination: [page_size, next_cursor, more] }) => {
      const parts = members.map(([key, content]) => `${JSON.stringify(key)}:${JSON.stringify(content)}`);
      const p = { next_cursor, page_size, more };
      const body = `{${[...parts, `"p":${JSON.stringify(p)}`]}}`;
      if (outcome(body, known) !== 'e') return;
      empty++;
      const items = members.find(([key]) => key === 'items');
      const isConfirmed = known === 'configured' || (known === 'learned' && items && page_size === 0);
      if (isConfirmed) expect(items?.[1]).toEqual([]);
      else expect([body, [...members.map(([, content]) => content), more].some(holdsId)]).toEqual([body, false]);
      expect([undefined, null, 0]).toContainEqual(page_size);
    });
    // A failure prints the seed.
    fc.assert(property, { numRuns: 5_000 });
    expect(empty).toBeGreaterThan(100);
  });
});
