/** The rules of the walk that answer faults, as a drain keeps them: what is sent, what is saved. */
import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, ContractError, CursorRefusedError, PageTooLargeError } from '../../../lambda/core/errors.ts';
import { answer, asset } from './support/rows.ts';
import { Stand } from './support/stand.ts';

const cursorOf = (stand: Stand) => stand.table.checkpoint('assets').cursor;

describe('rule 7: a cursor that is refused', () => {
  const refused = new CursorRefusedError('/a');

  test('falls back to the previous saved cursor, then to the beginning; what is known is not sent again', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [asset('b')], [asset('c')], []]);
    await stand.drain('assets', { pageLimit: 1 });
    stand.later().api.on('/a', 'c3', refused).on('/a', 'c2', refused);
    stand.api.on('/a', undefined, answer([asset('a'), asset('b'), asset('c'), asset('d')], null));
    const result = await stand.drain('assets', { pageLimit: 4 });
    expect(stand.api.sent('/a')).toEqual(['c3', 'c2', undefined]);
    expect([stand.sent, result.refusedCursors]).toEqual([['upsert d'], 2]);
    expect(stand.warnings).toHaveLength(2);
    expect(cursorOf(stand)).toBeUndefined();
  });

  test('any other 400 fails the stream, and the checkpoint stays untouched', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], []]);
    await stand.drain('assets');
    const before = stand.table.checkpoint('assets');
    stand.later().api.on('/a', 'c1', new ApiRefusedError('/a', 400, 'request/odd'));
    await expect(stand.drain('assets')).rejects.toThrow(/400.*request\/odd/);
    expect([stand.table.checkpoint('assets'), stand.journal.begun]).toEqual([before, []]);
  });
});

describe('rule 8: names', () => {
  const unclear = '{"a":[{"id":"x"}],"items":[{"id":"y"}],"pagination":{"next_cursor":null,"page_size":1}}';

  test('in doubt: a contract error, nothing guessed, nothing saved', async () => {
    const stand = new Stand();
    stand.api.on('/a', undefined, unclear);
    await expect(stand.drain('assets')).rejects.toThrow(ContractError);
    expect(stand.journal.begun).toEqual([]);
  });

  test('once found are kept with the checkpoint', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], []]);
    await stand.drain('assets');
    expect(stand.table.checkpoint('assets').names).toEqual({ rows: 'items', pagination: 'pagination' });
    stand.later().api.on('/a', 'c1', unclear);
    await stand.drain('assets');
    expect(stand.sent).toEqual(['upsert y']);
  });

  test('found on an empty page are kept with the checkpoint, though nothing else has changed', async () => {
    const stand = new Stand();
    stand.api.on('/a', undefined, answer([], null));
    await stand.drain('assets');
    expect(stand.table.checkpoint('assets').names).toEqual({ rows: undefined, pagination: 'pagination' });
  });

  test('may be given', async () => {
    const stand = new Stand();
    stand.api.on('/a', undefined, unclear);
    await stand.drain('assets', { configuredNames: { rows: 'a' } });
    expect(stand.sent).toEqual(['upsert x']);
  });
});

describe('rule 12: a page too large', () => {
  test('is read in smaller pages, and nothing is lost', async () => {
    const stand = new Stand();
    stand.api
      .on('/a', undefined, new PageTooLargeError('/a', 1), answer([asset('a')], 'c'))
      .on('/a', 'c', answer([asset('b')], null));
    expect(await stand.drain('assets', { pageLimit: 4 })).toMatchObject({ forwarded: 2, caughtUp: true });
    expect(stand.api.requests.map(({ limit }) => limit)).toEqual([4, 2, 4]);
  });

  test('a response without next_cursor is no end', async () => {
    const stand = new Stand();
    stand.api.on('/a', undefined, '{"items":[{"id":"a"}],"page_size":1}');
    await expect(stand.drain('assets')).rejects.toThrow(/no member with next_cursor/);
    expect(stand.journal.begun).toEqual([]);
  });
});

describe('rule 13: rows that cannot be sent', () => {
  const huge = asset('h', { text: 'x'.repeat(1_024_000) });

  test('go to the dead-letter prefix with their reason, and the walk goes on', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [['7', '{"name":"x"}', asset('a'), huge], [asset('b')]]);
    const result = await stand.drain('assets');
    expect(result).toMatchObject({ rows: 5, forwarded: 3, deadLetters: 3, oversize: 1, caughtUp: true });
    expect(stand.sent).toEqual(['upsert a', 'oversize h', 'upsert b']);
    const letters = [...stand.letters].map(([key, text]) => [key.split(' ')[1], text]);
    expect(letters).toEqual([
      ['not-an-object', '7'],
      ['no-id', '{"name":"x"}'],
      ['oversize', huge],
    ]);
  });

  test('are stored once, however often they are delivered', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [['7', '{"name":"x"}', asset('a'), huge]]);
    await stand.drain('assets');
    expect(await stand.later().drain('assets')).toMatchObject({ deadLetters: 0, forwarded: 0, suppressed: 4 });
    expect(stand.journal.begun).toEqual([]);
  });

  test('a page of nothing else moves the cursor too', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], ['7'], []]);
    await stand.drain('assets');
    expect(cursorOf(stand)).toBe('c2');
  });
});
