/** The rules of the walk: what is sent and what is saved. */
import { describe, expect, test } from '@jest/globals';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

const cursorOf = (harness: Harness) => harness.table.checkpoint('assets').cursor;

describe('rule 1: the newest non-null cursor is saved', () => {
  test('null is never saved as a cursor', async () => {
    const harness = new Harness();
    const saved: unknown[] = [];
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]);
    harness.journal.hook = step => void (step === 'assets checkpoint' && saved.push(cursorOf(harness)));
    expect(await harness.runStream('assets')).toMatchObject({ pages: 3, forwarded: 2, caughtUp: true });
    expect([...saved, cursorOf(harness)]).toEqual([undefined, 'c1', 'c2']);
  });
});

describe('rule 2: the page that ends a walk may hold rows and null', () => {
  test('the rows of the last page are delivered by every later poll and sent once, without another look-up or write', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b'), asset('c')]]);
    await harness.runStream('assets');
    expect([harness.sent, cursorOf(harness)]).toEqual([['upsert a', 'upsert b', 'upsert c'], 'c1']);
    for (const _ of [1, 2, 3]) {
      expect(await harness.later().runStream('assets')).toMatchObject({ rows: 2, forwarded: 0, suppressed: 2 });
      expect([harness.sent, harness.journal.begun, cursorOf(harness)]).toEqual([[], [], 'c1']);
    }
  });

  test('a tenant with less than a page never gets a cursor, and gets each row once', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]);
    await harness.runStream('assets');
    harness.later().api.pages('/a', [[asset('a'), asset('b')]]);
    await harness.runStream('assets');
    expect([harness.sent, cursorOf(harness)]).toEqual([['upsert b'], undefined]);
    expect(harness.api.sent('/a')).toEqual([undefined]);
  });
});

describe('rule 4: a cursor that the walk has already followed', () => {
  const LEADS_BACK = 'The API sent a next_cursor that leads back to a page that was read before; the walk ends there';
  /** Seven pages of one row each. The last one leads to the second. */
  const circle = (harness: Harness, path: string, row: (page: number) => string) => {
    for (let page = 0; page < 7; page++)
      harness.api.on(
        path,
        page === 0 ? undefined : `c${page}`,
        answer([row(page)], page === 6 ? 'c1' : `c${page + 1}`),
      );
  };

  test('an empty page with the cursor that was sent ends the walk quietly and is counted', async () => {
    const harness = new Harness();
    harness.api.on('/a', undefined, answer([asset('a')], 'c')).on('/a', 'c', answer([], 'c'));
    expect(await harness.runStream('assets')).toMatchObject({ stalledCursors: 1, caughtUp: true, pages: 2 });
    const before = harness.table.checkpoint('assets');
    expect(await harness.later().runStream('assets')).toMatchObject({ stalledCursors: 1, caughtUp: true, pages: 1 });
    expect([harness.journal.begun, harness.warnings]).toEqual([[], []]);
    expect(harness.table.checkpoint('assets')).toEqual(before);
  });

  test('a page of rows with the cursor that was sent is sent, and the walk is not caught up', async () => {
    const harness = new Harness();
    harness.api
      .on('/a', undefined, answer([asset('a')], 'c'))
      .on('/a', 'c', answer([asset('b')], 'c'), answer([asset('c')], 'c'));
    for (const sent of [['upsert a', 'upsert b'], ['upsert c'], []]) {
      expect(await harness.runStream('assets')).toMatchObject({ stalledCursors: 1, caughtUp: false });
      expect([harness.sent, harness.warnings.pop()]).toEqual([sent, LEADS_BACK]);
      harness.later();
    }
  });

  test.each<['assets' | 'threats' | 'dns-blocks', string, (page: number) => string]>([
    ['assets', '/a', page => asset(`a${page}`)],
    ['threats', '/t', page => threat(`t${page}`, 'a')],
    ['dns-blocks', '/d', page => dnsBlock(`d${page}`)],
  ])('a circle is read once, and later runs read one page of it (%s)', async (stream, path, row) => {
    const harness = new Harness();
    circle(harness, path, row);
    expect(await harness.runStream(stream)).toMatchObject({
      pages: 7,
      forwarded: 7,
      stalledCursors: 1,
      caughtUp: false,
    });
    expect(harness.table.checkpoint(stream)).toMatchObject({ cursor: 'c6', previous: 'c1' });
    for (const _ of [2, 3]) {
      const result = await harness.later().runStream(stream);
      expect(result).toMatchObject({ pages: 1, forwarded: 0, stalledCursors: 1, caughtUp: false });
      expect([harness.api.sent(path), harness.journal.begun]).toEqual([['c6'], []]);
    }
  });

  test('a walk continues behind a circle once the API leads on', async () => {
    const harness = new Harness();
    circle(harness, '/d', page => dnsBlock(`d${page}`));
    await harness.runStream('dns-blocks');
    harness
      .later()
      .api.on('/d', 'c6', answer([dnsBlock('d6')], 'c7'))
      .on('/d', 'c7', answer([dnsBlock('d7')], null));
    expect(await harness.runStream('dns-blocks')).toMatchObject({ forwarded: 1, stalledCursors: 0, caughtUp: true });
    expect(harness.table.checkpoint('dns-blocks')).toMatchObject({ cursor: 'c7', previous: 'c6' });
  });

  test('threats are read, and none is withdrawn, while the assets lead around a circle', async () => {
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
    expect([harness.sent, failures.size]).toEqual([['tombstone a', 'upsert u'], 0]);
    expect([...results.values()].map(({ caughtUp }) => caughtUp)).toEqual([false, true, true]);
    harness.later().api.on('/a', 'c2', answer([], null));
    await harness.run();
    expect(harness.sent).toEqual(['withdrawn t']);
  });
});

describe('rule 5: stream_position moves without a change', () => {
  test('a re-delivery is not sent again', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a', { position: 'p1' })], [asset('a', { position: 'p2' })]]);
    expect(await harness.runStream('assets')).toMatchObject({ forwarded: 1, suppressed: 1 });
    harness.later().api.on('/a', 'c1', answer([asset('a', { position: 'p3' })], null));
    expect(await harness.runStream('assets')).toMatchObject({ forwarded: 0, suppressed: 1 });
    expect(harness.journal.done).not.toContain('assets states');
  });

  test('an older updated_at with other content is sent, because updated_at does not decide what is new', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('a', { version: 2, updated_at: '2020-01-01T00:00:00Z' })]]);
    await harness.runStream('assets');
    expect(harness.events.map(({ row }) => row?.['version'])).toEqual([1, 2]);
  });

  test.each([
    ['at later positions', ['p1', 'p2', 'p3']],
    ['without any position', [null, null, null]],
  ])('content that comes back after another version is a change (A, B, A): %s', async (_where, positions) => {
    const harness = new Harness();
    const versions = [1, 2, 1].map((version, at) => [asset('a', { version, position: positions[at]! })]);
    harness.api.pages('/a', versions);
    await harness.runStream('assets');
    expect(harness.events.map(({ row }) => row?.['version'])).toEqual([1, 2, 1]);
  });
});

describe('rule 6: several occurrences of an id', () => {
  test('within one page the last occurrence of an id wins', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a', { version: 1 }), asset('b'), asset('a', { version: 2 })]]);
    expect(await harness.runStream('assets')).toMatchObject({ rows: 3, forwarded: 2, superseded: 1 });
    expect(harness.events.map(({ id, row }) => [id, row?.['version']])).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
  });

  test('across pages a changed row is sent again, in order', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a', { version: 1 })], [asset('a', { version: 2 })], [asset('a', { version: 3 })]]);
    await harness.runStream('assets');
    const sequences = harness.events.map(({ sequence }) => sequence);
    expect(harness.events.map(({ row }) => row?.['version'])).toEqual([1, 2, 3]);
    expect(sequences).toEqual([...new Set(sequences)].sort());
  });
});

test('rule 10: DNS blocks need no updated_at and no stream_position', async () => {
  const harness = new Harness();
  harness.api.pages('/d', [[dnsBlock('d1'), dnsBlock('d2')], [dnsBlock('d3')]]);
  expect(await harness.runStream('dns-blocks')).toMatchObject({ forwarded: 3, deadLetters: 0 });
  expect(harness.events[0]).toMatchObject({
    kind: 'dns_block',
    time: '2026-11-20T09:05:00.120Z',
    stream_position: null,
  });
  expect(harness.journal.begun).not.toContainEqual(expect.stringMatching(/look-up|states|intents|children/));
});

describe('rule 11: the member that names the asset', () => {
  test('the member that names the asset is configured, and a threat without it is forwarded and counted', async () => {
    const harness = new Harness();
    harness.api.pages('/t', [[threat('t', undefined, { host: 'a1' }), threat('u', 'a9')]]);
    expect(await harness.runStream('threats', { parentMember: 'host' })).toMatchObject({
      forwarded: 2,
      withoutParent: 1,
    });
    expect(harness.events.map(each => each.asset_id)).toEqual(['a1', undefined]);
    expect(harness.table.children('threats')).toEqual(['a1 t']);
  });
});
