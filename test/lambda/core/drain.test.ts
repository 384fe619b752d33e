/** The rules of the walk as a drain keeps them: what is sent, what is saved. */
import { describe, expect, test } from '@jest/globals';
import { answer, asset, dnsBlock, threat } from './support/rows.ts';
import { Stand } from './support/stand.ts';

const cursorOf = (stand: Stand) => stand.table.checkpoint('assets').cursor;

describe('rule 1: the newest non-null cursor is saved', () => {
  test('null never is', async () => {
    const stand = new Stand();
    const saved: unknown[] = [];
    stand.api.pages('/a', [[asset('a')], [asset('b')], []]);
    stand.journal.hook = step => void (step === 'assets checkpoint' && saved.push(cursorOf(stand)));
    expect(await stand.drain('assets')).toMatchObject({ pages: 3, forwarded: 2, caughtUp: true });
    expect([...saved, cursorOf(stand)]).toEqual([undefined, 'c1', 'c2']);
  });

  test('the next run begins there', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [asset('b')], []]);
    await stand.drain('assets');
    await stand.later().drain('assets');
    expect(stand.api.sent('/a')).toEqual(['c2']);
  });
});

describe('rule 2: the page that ends a walk may hold rows and null', () => {
  test('its rows are delivered by every later poll, and sent once', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [asset('b'), asset('c')]]);
    await stand.drain('assets');
    expect([stand.sent, cursorOf(stand)]).toEqual([['upsert a', 'upsert b', 'upsert c'], 'c1']);
    for (const _ of [1, 2, 3]) {
      expect(await stand.later().drain('assets')).toMatchObject({ rows: 2, forwarded: 0, suppressed: 2 });
      expect([stand.sent, cursorOf(stand)]).toEqual([[], 'c1']);
    }
  });

  test('a tenant with less than a page never gets a cursor, and gets each row once', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')]]);
    await stand.drain('assets');
    stand.later().api.pages('/a', [[asset('a'), asset('b')]]);
    await stand.drain('assets');
    expect([stand.sent, cursorOf(stand)]).toEqual([['upsert b'], undefined]);
    expect(stand.api.sent('/a')).toEqual([undefined]);
  });

  test('so does a tenant with less than a page of DNS blocks', async () => {
    const stand = new Stand();
    stand.api.pages('/d', [[dnsBlock('d1')]]);
    await stand.drain('dns-blocks');
    stand.later().api.pages('/d', [[dnsBlock('d1'), dnsBlock('d2')]]);
    await stand.drain('dns-blocks');
    expect(stand.sent).toEqual(['dns_block d2']);
  });
});

describe('rule 3: the steady state may be an empty page with null', () => {
  test('it is the end, and nothing is written', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], []]);
    await stand.drain('assets');
    expect(await stand.later().drain('assets')).toMatchObject({ pages: 1, rows: 0, caughtUp: true });
    expect(stand.journal.begun).toEqual([]);
  });

  test('a short or empty page with a cursor is not', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [], [asset('b')]]);
    expect(await stand.drain('assets', { pageLimit: 10 })).toMatchObject({ pages: 3, forwarded: 2, caughtUp: true });
  });
});

describe('rule 4: a cursor equal to the one sent', () => {
  test('with nothing new ends the walk quietly and is counted', async () => {
    const stand = new Stand();
    stand.api.on('/a', undefined, answer([asset('a')], 'c')).on('/a', 'c', answer([], 'c'));
    expect(await stand.drain('assets')).toMatchObject({ stalledCursors: 1, caughtUp: true, pages: 2 });
    expect(await stand.later().drain('assets')).toMatchObject({ stalledCursors: 1, caughtUp: true, pages: 1 });
  });

  test('with something new is followed, until there is nothing', async () => {
    const stand = new Stand();
    stand.api
      .on('/a', undefined, answer([asset('a')], 'c'))
      .on('/a', 'c', answer([asset('b')], 'c'), answer([asset('c')], 'c'));
    expect(await stand.drain('assets')).toMatchObject({ stalledCursors: 1, pages: 4 });
    expect(stand.sent).toEqual(['upsert a', 'upsert b', 'upsert c']);
  });
});

describe('rule 5: stream_position moves without a change', () => {
  test('a re-delivery is not sent again', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a', { position: 'p1' })], [asset('a', { position: 'p2' })]]);
    expect(await stand.drain('assets')).toMatchObject({ forwarded: 1, suppressed: 1 });
    stand.later().api.on('/a', 'c1', answer([asset('a', { position: 'p3' })], null));
    expect(await stand.drain('assets')).toMatchObject({ forwarded: 0, suppressed: 1 });
    expect(stand.journal.done).not.toContain('assets states');
  });

  test('updated_at does not decide what is new: an older one with other content is sent', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [asset('a', { version: 2, updated_at: '2020-01-01T00:00:00Z' })]]);
    await stand.drain('assets');
    expect(stand.events.map(({ row }) => row?.['version'])).toEqual([1, 2]);
  });

  test.each([
    ['at later positions', ['p1', 'p2', 'p3']],
    ['without any position', [null, null, null]],
  ])('content that comes back after another is news (A, B, A): %s', async (_where, positions) => {
    const stand = new Stand();
    const versions = [1, 2, 1].map((version, at) => [asset('a', { version, position: positions[at]! })]);
    stand.api.pages('/a', versions);
    await stand.drain('assets');
    expect(stand.events.map(({ row }) => row?.['version'])).toEqual([1, 2, 1]);
  });
});

describe('rule 6: several occurrences of an id', () => {
  test('within one page the last wins', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a', { version: 1 }), asset('b'), asset('a', { version: 2 })]]);
    expect(await stand.drain('assets')).toMatchObject({ rows: 3, forwarded: 2, superseded: 1 });
    expect(stand.events.map(({ id, row }) => [id, row?.['version']])).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
  });

  test('across pages a changed row is sent again, in order', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a', { version: 1 })], [asset('a', { version: 2 })], [asset('a', { version: 3 })]]);
    await stand.drain('assets');
    const sequences = stand.events.map(({ sequence }) => sequence);
    expect(stand.events.map(({ row }) => row?.['version'])).toEqual([1, 2, 3]);
    expect(sequences).toEqual([...new Set(sequences)].sort());
  });
});

test('rule 9: the configured limit is what every request asks for', async () => {
  const stand = new Stand();
  stand.api.pages('/a', [[asset('a')], []]);
  await stand.drain('assets', { pageLimit: 7 });
  expect(stand.api.requests.map(({ limit }) => limit)).toEqual([7, 7]);
});

test('rule 10: DNS blocks need no updated_at and no stream_position', async () => {
  const stand = new Stand();
  stand.api.pages('/d', [[dnsBlock('d1'), dnsBlock('d2')], [dnsBlock('d3')]]);
  expect(await stand.drain('dns-blocks')).toMatchObject({ forwarded: 3, deadLetters: 0 });
  expect(stand.events[0]).toMatchObject({ kind: 'dns_block', time: '2026-11-20T09:05:00.120Z', stream_position: null });
  expect(stand.journal.begun).not.toContainEqual(expect.stringMatching(/look-up|states|in-flight/));
});

describe('rule 11: the member that names the asset', () => {
  test('is configured; a threat without it is forwarded and counted', async () => {
    const stand = new Stand();
    stand.api.pages('/t', [[threat('t', undefined, { host: 'a1' }), threat('u', 'a9')]]);
    expect(await stand.drain('threats', { ownerMember: 'host' })).toMatchObject({ forwarded: 2, withoutOwner: 1 });
    expect(stand.events.map(each => each.asset_id)).toEqual(['a1', undefined]);
    expect(stand.table.members('threats')).toEqual(['a1 t']);
  });
});
