import { describe, expect, test } from '@jest/globals';
import { ContractError } from '../../../lambda/core/errors.ts';
import { type PageRules, readPage } from '../../../lambda/core/page.ts';

const RULES: PageRules = {
  path: '/v1/assets',
  cut: { wanted: ['id'], excluded: 'stream_position' },
  configured: {},
  learned: {},
};

function read(body: unknown, change: Partial<PageRules> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { rows, nextCursor, names } = readPage(Buffer.from(text), { ...RULES, ...change });
  return { ids: rows.map(each => each.wanted(0)), nextCursor, names };
}

const one = [{ id: 'a' }];

describe('rule 3: the end of the stream is a null cursor and nothing else', () => {
  test('an empty page with null reads as no rows and null', () => {
    expect(read({ items: [], page: { next_cursor: null, page_size: 0 } })).toMatchObject({ ids: [], nextCursor: null });
  });

  test('an empty page with a cursor keeps the cursor', () => {
    expect(read({ items: [], page: { next_cursor: 'c', page_size: 0 } })).toMatchObject({ ids: [], nextCursor: 'c' });
  });
});

describe('rule 8: names that the specification does not show are found by what they hold', () => {
  test.each(['items', 'data', '', '__proto__', 'constructor', 'next_cursor'])('rows under %j', name => {
    const body = `{${JSON.stringify(name)}:[{"id":"a"}],"p":{"next_cursor":"c","page_size":1}}`;
    expect(read(body)).toEqual({ ids: ['"a"'], nextCursor: 'c', names: { rows: name, pagination: 'p' } });
  });

  test.each(['pagination', 'meta', '__proto__', 'constructor'])('pagination under %j', name => {
    const body = `{"rows":[{"id":"a"}],${JSON.stringify(name)}:{"next_cursor":"c","page_size":1}}`;
    expect(read(body)).toEqual({ ids: ['"a"'], nextCursor: 'c', names: { rows: 'rows', pagination: name } });
  });

  test('pagination at the top of the answer', () => {
    const found = read({ rows: one, next_cursor: 'c', page_size: 1 });
    expect(found).toEqual({ ids: ['"a"'], nextCursor: 'c', names: { rows: 'rows', pagination: '' } });
  });

  test('the row array is the one of page_size elements, whatever other arrays stand beside it', () => {
    const body = {
      included: [{ id: 'x' }, { id: 'y' }],
      rows: one,
      tags: ['a'],
      p: { next_cursor: null, page_size: 1 },
    };
    expect(read(body).ids).toEqual(['"a"']);
  });

  test('a row array may hold rows without id beside those with one', () => {
    const body = { rows: [7, {}, { id: 'a' }], p: { next_cursor: null, page_size: 3 } };
    expect(read(body).ids).toEqual([undefined, undefined, '"a"']);
  });

  test('without page_size, the one array that holds objects with an id', () => {
    expect(read({ warnings: ['w'], rows: one, p: { next_cursor: null } }).names.rows).toBe('rows');
  });

  test('an empty page has nothing to find, and teaches no name of rows', () => {
    const page = { items: [], warnings: [], p: { next_cursor: null, page_size: 0 } };
    expect(read(page).names).toEqual({ rows: undefined, pagination: 'p' });
    expect(read(page, { learned: { rows: 'data' } }).names.rows).toBe('data');
  });

  test('a learned name settles what would be in doubt', () => {
    const body = { a: one, b: [{ id: 'b' }], p: { next_cursor: null, page_size: 1 }, q: { next_cursor: 'x' } };
    expect(read(body, { learned: { rows: 'b', pagination: 'p' } })).toMatchObject({ ids: ['"b"'], nextCursor: null });
  });

  test('a learned name that is gone is searched anew', () => {
    const found = read({ b: one, q: { next_cursor: 'c', page_size: 1 } }, { learned: { rows: 'a', pagination: 'p' } });
    expect(found).toEqual({ ids: ['"a"'], nextCursor: 'c', names: { rows: 'b', pagination: 'q' } });
  });

  test('configured names are binding', () => {
    const body = { a: one, b: [{ id: 'b' }], p: { next_cursor: 'c', page_size: 1 }, q: { next_cursor: 'x' } };
    const configured = { rows: 'b', pagination: 'q' };
    expect(read(body, { configured })).toMatchObject({ ids: ['"b"'], nextCursor: 'x', names: configured });
    expect(() => read({ a: one, q: { next_cursor: null } }, { configured })).toThrow(/no array "b".*"a", "q"/);
    expect(() => read({ b: one, p: { next_cursor: null } }, { configured })).toThrow(/no "q" with next_cursor/);
  });

  const page = { next_cursor: 'c', page_size: 1 };
  test.each<[string, unknown, RegExp]>([
    ['no array fits', { rows: [{ key: 'a' }], p: page }, /no array of page_size objects.*"rows", "p"/],
    ['the array has another length than page_size', { rows: [...one, ...one], p: page }, /no array of page_size/],
    ['the ids are empty or no text', { rows: [{ id: '' }], other: [{ id: 1 }], p: page }, /no array of page_size/],
    ['rows are announced and none shown', { p: page }, /no array of page_size/],
    ['several arrays fit', { a: one, b: one, p: page }, /more than one array.*"a", "b", "p"/],
    ['several objects have next_cursor', { a: one, p: page, q: page }, /more than one member with next_cursor/],
    ['the answer has next_cursor beside such an object', { a: one, p: page, next_cursor: 'c' }, /more than one member/],
    ['next_cursor is a number', { a: one, p: { next_cursor: 7 } }, /neither null nor a non-empty string/],
    ['next_cursor is empty', { a: one, p: { next_cursor: '' } }, /neither null nor a non-empty string/],
  ])('a contract error that lists the members seen, nothing guessed: %s', (_what, body, message) => {
    const reading = () => read(body);
    expect(reading).toThrow(ContractError);
    expect(reading).toThrow(message);
  });

  test('the error shows names, cut short, and no values', () => {
    const body = { [`n${'x'.repeat(100)}`]: 'a-secret', rows: [{ key: 'a-secret' }], p: page };
    const reading = () => read(body);
    expect(reading).toThrow(`"n${'x'.repeat(63)}", "rows", "p"`);
    expect(reading).not.toThrow(/a-secret/);
  });
});

describe('rule 12: an answer without next_cursor is a contract error, not an end', () => {
  test.each<[string, unknown]>([
    ['no pagination object', { rows: one }],
    ['a pagination object without it', { rows: one, pagination: { page_size: 1 } }],
    ['an empty answer', {}],
    ['a list of them', { rows: one, pagination: [{ next_cursor: null }] }],
    ['one too deep', { rows: one, meta: { pagination: { next_cursor: null } } }],
  ])('%s', (_what, body) => {
    expect(() => read(body)).toThrow(/no member with next_cursor; members seen: /);
  });

  test.each(['<html>', '[]', '{"rows":[', ''])('%j is not JSON of an answer', body => {
    expect(() => read(body)).toThrow(/^The answer of \/v1\/assets does not fit the contract: not JSON \(/);
  });
});
