/** What a drain remembers: the window and the row states. */
import { describe, expect, test } from '@jest/globals';
import { CursorRefusedError } from '../../../lambda/core/errors.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

const lookUps = (harness: Harness) => harness.journal.begun.filter(step => step.includes('look-up'));

describe('the window', () => {
  test('swallows the page that every poll reads again without a look-up or a write', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b'), asset('c')]]);
    await harness.drain('assets');
    expect(await harness.later().drain('assets')).toMatchObject({ suppressed: 2, forwarded: 0 });
    expect(harness.journal.begun).toEqual([]);
  });

  test('is not emptied when the cursor moves: a later answer may cut the same rows into other pages', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('d1'), dnsBlock('d2')], [dnsBlock('d3')]]);
    await harness.drain('dns-blocks');
    harness.later().api.on('/d', 'c1', answer([dnsBlock('d2'), dnsBlock('d3'), dnsBlock('d4')], 'c2'));
    harness.api.on('/d', 'c2', answer([dnsBlock('d4'), dnsBlock('d5')], null));
    await harness.drain('dns-blocks');
    expect(harness.sent).toEqual(['dns_block d4', 'dns_block d5']);
  });

  test('knows also the rows that a later row of their page superseded', async () => {
    const harness = new Harness();
    const [older, newer] = [asset('a', { version: 1 }), asset('a', { version: 2 })];
    harness.api.pages('/a', [[older, newer]]);
    await harness.drain('assets');
    harness.later().api.pages('/a', [[older]]);
    await harness.drain('assets');
    expect([harness.sent, lookUps(harness)]).toEqual([[], []]);
  });

  test('keeps at least two pages, and what is older is looked up', async () => {
    const harness = new Harness();
    const pages = ['a', 'b', 'c', 'd', 'e', 'f'].map(id => asset(id));
    harness.api.pages('/a', [pages.slice(0, 2), pages.slice(2, 4), pages.slice(4)]);
    await harness.drain('assets', { pageLimit: 2 });
    expect(harness.table.checkpoint('assets').window).toHaveLength(4);
    harness.later().api.on('/a', 'c2', answer(pages, null));
    expect(await harness.drain('assets', { pageLimit: 6 })).toMatchObject({ suppressed: 6, forwarded: 0 });
    expect(lookUps(harness)).toEqual(['assets look-up a b']);
  });

  test('forgets what is sent again: an older version that a rewound walk sends is followed by the newest one', async () => {
    const harness = new Harness();
    const newest = asset('a', { version: 2 });
    harness.api.pages('/a', [[asset('a', { version: 1 })], [newest], []]);
    await harness.drain('assets');
    harness.later().api.on('/a', 'c2', new CursorRefusedError('/a')).on('/a', 'c1', new CursorRefusedError('/a'));
    // The older version comes from another place in the stream, so the window does not know it.
    harness.api
      .on('/a', undefined, answer([asset('a', { version: 1, position: 'p9' })], 'd1'))
      .on('/a', 'd1', answer([newest], null));
    await harness.drain('assets');
    expect(harness.events.map(({ row }) => row?.['version'])).toEqual([1, 2]);
  });

  test('is saved as it stood after its page, although the next page was read meanwhile', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('d1')], [dnsBlock('d2')]]);
    const sizes: number[] = [];
    harness.journal.hook = async step => {
      if (step === 'dns-blocks delivery') await new Promise(setImmediate);
      if (step === 'dns-blocks checkpoint') sizes.push(harness.table.checkpoint('dns-blocks').window.length);
    };
    await harness.drain('dns-blocks');
    expect([...sizes, harness.table.checkpoint('dns-blocks').window.length]).toEqual([0, 1, 2]);
  });
});

describe('row states', () => {
  test('what is known is suppressed over runs, whatever its place in the stream', async () => {
    const harness = new Harness();
    harness.api.pages('/t', [[threat('t', 'a')], []]);
    await harness.drain('threats');
    harness
      .later()
      .api.on('/t', 'c1', answer([threat('t', 'a', { position: 'p8' })], 'c2'))
      .on('/t', 'c2', answer([], null));
    expect(await harness.drain('threats')).toMatchObject({ forwarded: 0, suppressed: 1 });
    expect(harness.journal.done).toEqual(['threats look-up t', 'threats checkpoint']);
  });

  test('restored: an asset that comes back after its tombstone is sent, again and again', async () => {
    const harness = new Harness();
    const [live, gone] = [asset('a', { position: 'p1' }), tombstone('a', { position: 'p2' })];
    harness.api.pages('/a', [[live], [gone], [asset('a', { position: 'p3' })], [tombstone('a', { position: 'p4' })]]);
    await harness.drain('assets');
    expect(harness.sent).toEqual(['upsert a', 'tombstone a', 'upsert a', 'tombstone a']);
    expect(new Set(harness.events.map(each => each.event_id)).size).toBe(4);
  });

  test('unseen tombstones are not sent and counted; the asset is sent when it is restored', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[tombstone('a')], [asset('a', { position: 'p2' })]]);
    expect(await harness.drain('assets')).toMatchObject({ unseenTombstones: 1, tombstones: 0, forwarded: 1 });
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('an asset created and removed within one page is never seen', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a'), tombstone('a', { version: 2 })]]);
    expect(await harness.drain('assets')).toMatchObject({ unseenTombstones: 1, superseded: 1 });
    expect(harness.sent).toEqual([]);
  });

  test('a threat moving between assets leaves one state, under its id, and a note under its new asset', async () => {
    const harness = new Harness();
    harness.api.pages('/t', [[threat('t', 'a')], [threat('t', 'b', { version: 2 })], []]);
    await harness.drain('threats');
    expect(harness.table.state('threats', 't')).toMatchObject({ parent: 'b' });
    expect(harness.table.children('threats')).toContain('b t');
  });

  test('a threat that moves away and back while pages overlap is noted under its asset', async () => {
    const harness = new Harness();
    const moves = ['a', 'b', 'a', 'b', 'a'].map((parent, version) => [threat('t', parent, { version })]);
    harness.api.pages('/t', moves);
    harness.journal.hook = async step => {
      if (step === 'threats delivery') await new Promise(setImmediate);
    };
    await harness.drain('threats');
    expect(harness.table.state('threats', 't')).toMatchObject({ parent: 'a' });
    expect(harness.table.children('threats')).toContain('a t');
  });

  test('members adopt: when the setting learns where a threat names its asset, nothing is sent again', async () => {
    const harness = new Harness();
    harness.api.pages('/t', [[threat('t', 'a')]]);
    await harness.drain('threats', { parentMember: 'host' });
    expect(harness.table.children('threats')).toEqual([]);
    harness.later().api.pages('/t', [[threat('t', 'a', { position: 'p2' })]]);
    expect(await harness.drain('threats')).toMatchObject({ rows: 1, forwarded: 0, suppressed: 1 });
    expect([harness.sent, harness.table.children('threats')]).toEqual([[], ['a t']]);
  });
});
