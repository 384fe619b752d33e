/**
 * The rules of the walk. Comments of tests in this folder name them by these numbers:
 *
 *  1. It saves the newest cursor that is not null. An absent cursor is the beginning.
 *  2. It does not send again the rows that come with a null cursor, because every poll reads them.
 *  3. Only a null cursor is the end, not a short or empty page.
 *  4. It ends at a cursor that it has already followed.
 *  5. It decides by content what is new, not by `stream_position` or `updated_at`.
 *  6. Within a page the last row of an id wins.
 *  7. After a refused cursor it uses the previous cursor, then the beginning, and saves the new start before a row is sent.
 *  8. It finds unspecified names by content, keeps them, and refuses answers that contradict them.
 *  9. It sends a `limit` of 1 to 500.
 * 10. It reads DNS blocks when their path is given.
 * 11. A setting names the member that holds a threat's asset.
 * 12. When a page is too large or too slow, it requests the page again with half the limit.
 * 13. A row that cannot be an event is kept as a dead letter, and the walk continues.
 */
import { describe, expect, test } from '@jest/globals';
import { ApiRefusedError, CursorRefusedError } from '../../lambda/core/errors.ts';
import { Harness } from '../support/core/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from '../support/core/rows.ts';

const cursorOf = (harness: Harness) => harness.table.checkpoint('assets').cursor;
const of = (harness: Harness, step: string) => harness.journal.begun.filter(each => each.includes(step));

/** Rule 2: the page that ends a walk may hold rows and null. */
test('rows of the last page that every poll delivers again are neither looked up nor sent again', async () => {
  const harness = new Harness();
  harness.api.pages('/a', [[asset('a')], [asset('b'), asset('c')]]);
  await harness.runStream('assets');
  expect(harness.sent).toEqual(['upsert a', 'upsert b', 'upsert c']);
  expect(cursorOf(harness)).toBe('c1');
  for (const _ of [1, 2, 3]) {
    expect(await harness.later().runStream('assets')).toMatchObject({ rows: 2, forwarded: 0, duplicates: 2 });
    expect(harness.sent).toEqual([]);
    expect(harness.journal.begun).toEqual([]);
    expect(cursorOf(harness)).toBe('c1');
  }
});

describe('rule 4: a cursor that the walk has already followed', () => {
  test('an empty page that returns the sent cursor ends the walk without a warning and is counted', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, answer([asset('a')], 'c')).on('/a', 'c', answer([], 'c'));
    expect(await harness.runStream('assets')).toMatchObject({ stalledCursors: 1, caughtUp: true, pages: 2 });
    const before = harness.table.checkpoint('assets');
    expect(await harness.later().runStream('assets')).toMatchObject({ stalledCursors: 1, caughtUp: true, pages: 1 });
    expect(harness.journal.begun).toEqual([]);
    expect(harness.warnings).toEqual([]);
    expect(harness.table.checkpoint('assets')).toEqual(before);
  });

  test('threats are read, but not withdrawn, while the cursors of the assets lead around a circle', async () => {
    const harness = new Harness();
    harness.api
      .pages('/a', [[asset('a')], [asset('b')]])
      .pages('/t', [[threat('t', 'a')]])
      .pages('/d', [[]]);
    await harness.run();
    harness
      .later()
      .api.on('/a', 'c1', answer([tombstone('a')], 'c2'))
      .on('/a', 'c2', answer([], 'c1'));
    harness.api.pages('/t', [[threat('u', 'b')]]);
    const { results, failures } = await harness.run();
    expect(harness.sent).toEqual(['tombstone a', 'upsert u']);
    expect(failures.size).toBe(0);
    expect([...results.values()].map(({ caughtUp }) => caughtUp)).toEqual([false, true, true]);
    harness.later().api.on('/a', 'c2', answer([], null));
    await harness.run();
    expect(harness.sent).toEqual(['withdrawn t']);
  });
});

describe('rule 7: a cursor that is refused', () => {
  test('a refusal that is not about the cursor fails the stream and keeps the checkpoint', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    await harness.runStream('assets');
    const before = harness.table.checkpoint('assets');
    harness.later().api.on('/a', 'c1', new ApiRefusedError('/a', 400, 'request/odd'));
    await expect(harness.runStream('assets')).rejects.toThrow(/400.*request\/odd/);
    expect(harness.table.checkpoint('assets')).toEqual(before);
    expect(harness.journal.begun).toEqual([]);
  });

  test('the rewind to the beginning is saved before a row of the new walk is sent', async () => {
    for (const [stream, path, row, window] of [
      ['assets', '/a', asset, 0],
      ['dns-blocks', '/d', dnsBlock, 1],
    ] as const) {
      const harness = new Harness();
      harness.api
        .on(path, undefined, answer([row('a')], 'c1'), answer([row('b')], 'd1'))
        .on(path, 'c1', new CursorRefusedError(path))
        .on(path, 'd1', answer([], null));
      let deliveries = 0;
      harness.journal.hook = step => {
        if (step.endsWith('delivery') && ++deliveries === 2) throw new Error('killed');
      };
      await expect(harness.runStream(stream)).rejects.toThrow('killed');
      const saved = harness.table.checkpoint(stream);
      expect(saved.cursor).toBeUndefined();
      expect(saved.previous).toBeUndefined();
      expect(saved.window.length).toEqual(window);
    }
  });
});

describe('rule 8: learned member names', () => {
  const unclear = '{"a":[{"id":"x"}],"items":[{"id":"y"}],"pagination":{"next_cursor":null,"page_size":1}}';

  test('learned member names are saved with the checkpoint', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    await harness.runStream('assets');
    expect(harness.table.checkpoint('assets').names).toEqual({ rows: 'items', pagination: 'pagination' });
    harness.later().api.on('/a', 'c1', unclear);
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['upsert y']);
  });

  test('a resync forgets the learned names, so that renamed members are read', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    await harness.runStream('assets');
    const renamed = answer([asset('a'), asset('b')], null).replace('items', 'data');
    harness.later().api.on('/a', undefined, renamed).on('/a', 'c1', renamed);
    await expect(harness.runStream('assets')).rejects.toThrow('"npx --no -- connectorctl resync <stream>"');
    await harness.runStream('assets', { resync: ['assets'] });
    expect(harness.sent).toEqual(['upsert b']);
  });

  test('names learned from an empty page are saved even if nothing else has changed', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, answer([], null));
    await harness.runStream('assets');
    expect(harness.table.checkpoint('assets').names).toEqual({ rows: undefined, pagination: 'pagination' });
  });

  test('a setting can name the member that holds the rows', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, unclear);
    await harness.runStream('assets', { configuredNames: { rows: 'a' } });
    expect(harness.sent).toEqual(['upsert x']);
  });
});

/** Rule 11: the member that names the asset. */
test('a threat without the configured member that names the asset is sent and counted', async () => {
  const harness = new Harness();
  harness.api.pages('/t', [[threat('t', undefined, { host: 'a1' }), threat('u', 'a9')]]);
  expect(await harness.runStream('threats', { parentMember: 'host' })).toMatchObject({
    forwarded: 2,
    threatsWithoutAsset: 1,
  });
  expect(harness.events.map(each => each.asset_id)).toEqual(['a1', undefined]);
  expect(harness.table.children('threats')).toEqual(['a1 t']);
});

describe('rule 13: an asset whose removal cannot be understood', () => {
  const unclear = asset('a', { version: 2, deleted: 1 });
  const removed = tombstone('a', { version: 3 });

  test.each<[string, string, string[]]>([
    ['a tombstone', removed, ['tombstone a']],
    ['a new version', asset('a', { version: 3 }), ['upsert a']],
    ['the version that the SIEM has', asset('a', { position: 'p3' }), []],
  ])('an unclear removal does not hide a later row: %s', async (_what, next, sent) => {
    const harness = new Harness();
    for (const [row, deadLetters] of [
      [asset('a'), 0],
      [unclear, 1],
      // Every poll reads the last page again.
      [unclear, 0],
      [next, 0],
    ] as const) {
      harness.later().api.pages('/a', [[row]]);
      expect(await harness.runStream('assets')).toMatchObject({ deadLetters, caughtUp: true });
    }
    expect(harness.sent).toEqual(sent);
  });

  test('a page with a clear and an unclear version sends the clear version, whatever their order', async () => {
    const harness = new Harness();
    const last = asset('a', { version: 4 });
    for (const rows of [[asset('a')], [removed, unclear], [unclear, last]]) {
      harness.api.pages('/a', [rows]);
      await harness.runStream('assets');
    }
    expect(harness.sent).toEqual(['upsert a', 'tombstone a', 'upsert a']);
  });
});

describe('pages that arrive while a batch is written', () => {
  test('pages that arrive during a batch are looked up, logged, sent and saved together in their order', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], [asset('a', { version: 2 })], []]);
    harness.journal.hook = async step => {
      if (step === 'assets delivery') for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    };
    expect(await harness.runStream('assets')).toMatchObject({ pages: 4, committedPages: 4 });
    const batch = ['log', 'log-name', 'delivery', 'states', 'checkpoint'].map(step => `assets ${step}`);
    expect(harness.journal.done).toEqual([
      'assets look-up a',
      ...batch,
      'assets look-up b a',
      ...batch,
      'logs deleted 2',
    ]);
    expect(harness.sent).toEqual(['upsert a', 'upsert b', 'upsert a']);
  });

  test('a failed fetch is reported only after the earlier pages have been saved', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]).on('/a', 'c2', new Error('cable cut'));
    await expect(harness.runStream('assets')).rejects.toThrow('cable cut');
    expect(harness.sent).toEqual(['upsert a', 'upsert b']);
    expect(cursorOf(harness)).toBe('c2');
  });
});

test('the window also contains versions that a later row of the same page superseded', async () => {
  const harness = new Harness();
  const [older, newer] = [asset('a', { version: 1 }), asset('a', { version: 2 })];
  harness.api.pages('/a', [[older, newer]]);
  await harness.runStream('assets');
  harness.later().api.pages('/a', [[older]]);
  await harness.runStream('assets');
  expect(harness.sent).toEqual([]);
  expect(of(harness, 'look-up')).toEqual([]);
});
