/** The rules of the walk for faults: what is sent and what is saved. */
import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, ContractError, CursorRefusedError, PageTooLargeError } from '../../../lambda/core/errors.ts';
import { Harness } from './support/harness.ts';
import { answer, asset } from './support/rows.ts';

const cursorOf = (harness: Harness) => harness.table.checkpoint('assets').cursor;

describe('rule 7: a cursor that is refused', () => {
  const refused = new CursorRefusedError('/a');

  test('a refused cursor falls back to the previous saved one, then to the beginning, and known rows are not sent again', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], [asset('c')], []]);
    await harness.runStream('assets', { pageLimit: 1 });
    harness.later().api.on('/a', 'c3', refused).on('/a', 'c2', refused);
    harness.api.on('/a', undefined, answer([asset('a'), asset('b'), asset('c'), asset('d')], null));
    const result = await harness.runStream('assets', { pageLimit: 4 });
    expect(harness.api.sent('/a')).toEqual(['c3', 'c2', undefined]);
    expect([harness.sent, result.refusedCursors]).toEqual([['upsert d'], 2]);
    expect(harness.warnings).toHaveLength(2);
    expect(cursorOf(harness)).toBeUndefined();
  });

  test('any other 400 fails the stream and leaves the checkpoint untouched', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    await harness.runStream('assets');
    const before = harness.table.checkpoint('assets');
    harness.later().api.on('/a', 'c1', new ApiRefusedError('/a', 400, 'request/odd'));
    await expect(harness.runStream('assets')).rejects.toThrow(/400.*request\/odd/);
    expect([harness.table.checkpoint('assets'), harness.journal.begun]).toEqual([before, []]);
  });
});

describe('rule 8: names', () => {
  const unclear = '{"a":[{"id":"x"}],"items":[{"id":"y"}],"pagination":{"next_cursor":null,"page_size":1}}';

  test('unclear names are a contract error: nothing is guessed and nothing is saved', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, unclear);
    await expect(harness.runStream('assets')).rejects.toThrow(ContractError);
    expect(harness.journal.begun).toEqual([]);
  });

  test('names once found are kept with the checkpoint', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    await harness.runStream('assets');
    expect(harness.table.checkpoint('assets').names).toEqual({ rows: 'items', pagination: 'pagination' });
    harness.later().api.on('/a', 'c1', unclear);
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['upsert y']);
  });

  test('names found on an empty page are kept with the checkpoint, even when nothing else has changed', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, answer([], null));
    await harness.runStream('assets');
    expect(harness.table.checkpoint('assets').names).toEqual({ rows: undefined, pagination: 'pagination' });
  });

  test('names may be given by the settings', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, unclear);
    await harness.runStream('assets', { configuredNames: { rows: 'a' } });
    expect(harness.sent).toEqual(['upsert x']);
  });
});

describe('rule 12: a page too large', () => {
  test('a page that is too large is read in smaller pages, and nothing is lost', async () => {
    const harness = new Harness();
    harness.api
      .on('/a', undefined, new PageTooLargeError('/a', 1), answer([asset('a')], 'c'))
      .on('/a', 'c', answer([asset('b')], null));
    expect(await harness.runStream('assets', { pageLimit: 4 })).toMatchObject({ forwarded: 2, caughtUp: true });
    expect(harness.api.requests.map(({ limit }) => limit)).toEqual([4, 2, 4]);
  });

  test('an answer without next_cursor does not end the stream', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, '{"items":[{"id":"a"}],"page_size":1}');
    await expect(harness.runStream('assets')).rejects.toThrow(/no member with next_cursor/);
    expect(harness.journal.begun).toEqual([]);
  });
});

describe('rule 13: rows that cannot be sent', () => {
  const huge = asset('h', { text: 'x'.repeat(1_024_000) });

  test('rows that cannot be sent go to the dead-letter prefix with their reason, and the walk continues', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [['7', '{"name":"x"}', asset('a'), huge], [asset('b')]]);
    const result = await harness.runStream('assets');
    expect(result).toMatchObject({ rows: 5, forwarded: 3, deadLetters: 3, oversize: 1, caughtUp: true });
    expect(harness.sent).toEqual(['upsert a', 'oversize h', 'upsert b']);
    const deadLetters = [...harness.deadLetters].map(([key, text]) => [key.split(' ')[1], text]);
    expect(deadLetters).toEqual([
      ['not-an-object', '7'],
      ['no-id', '{"name":"x"}'],
      ['oversize', huge],
    ]);
  });

  test('rows that cannot be sent are stored once, however often they are delivered', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [['7', '{"name":"x"}', asset('a'), huge]]);
    await harness.runStream('assets');
    expect(await harness.later().runStream('assets')).toMatchObject({ deadLetters: 0, forwarded: 0, suppressed: 4 });
    expect(harness.journal.begun).toEqual([]);
  });
});
