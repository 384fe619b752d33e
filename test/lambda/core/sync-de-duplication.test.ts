/** De-duplication by the window and by row states. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CursorRefusedError } from '../../../lambda/core/errors.ts';
import { ListApi } from './support/api.ts';
import { Harness, type RunChange } from './support/harness.ts';
import { answer, asset, dnsBlock, threat, tombstone } from './support/rows.ts';

const lookUps = (harness: Harness) => harness.journal.begun.filter(step => step.includes('look-up'));

describe('the window', () => {
  test('the window also knows the rows that a later row of their page superseded', async () => {
    const harness = new Harness();
    const [older, newer] = [asset('a', { version: 1 }), asset('a', { version: 2 })];
    harness.api.pages('/a', [[older, newer]]);
    await harness.runStream('assets');
    harness.later().api.pages('/a', [[older]]);
    await harness.runStream('assets');
    expect([harness.sent, lookUps(harness)]).toEqual([[], []]);
  });

  test('the window forgets what is sent again, so an older version from a rewound walk is followed by the newest one', async () => {
    const harness = new Harness();
    const newest = asset('a', { version: 2 });
    harness.api.pages('/a', [[asset('a', { version: 1 })], [newest], []]);
    await harness.runStream('assets');
    harness.later().api.on('/a', 'c2', new CursorRefusedError('/a')).on('/a', 'c1', new CursorRefusedError('/a'));
    // The older version comes from another place in the stream, so the window does not know it.
    harness.api
      .on('/a', undefined, answer([asset('a', { version: 1, position: 'p9' })], 'd1'))
      .on('/a', 'd1', answer([newest], null));
    await harness.runStream('assets');
    expect(harness.events.map(({ row }) => row?.['version'])).toEqual([1, 2]);
  });

  test('the window is saved as it was after its page, although the next page was read meanwhile', async () => {
    const harness = new Harness();
    harness.api.pages('/d', [[dnsBlock('d1')], [dnsBlock('d2')]]);
    const sizes: number[] = [];
    harness.journal.hook = async step => {
      if (step === 'dns-blocks delivery') await new Promise(setImmediate);
      if (step === 'dns-blocks checkpoint') sizes.push(harness.table.checkpoint('dns-blocks').window.length);
    };
    await harness.runStream('dns-blocks');
    expect([...sizes, harness.table.checkpoint('dns-blocks').window.length]).toEqual([0, 1, 2]);
  });
});

describe('DNS blocks, which only the window remembers', () => {
  /** The SIEM has so many DNS blocks, read in pages of ten. */
  async function having(count: number, change: RunChange = {}): Promise<Harness & { readonly list: ListApi }> {
    const list = new ListApi();
    list.put(
      Array.from({ length: count }, (_, index) => `d${index}`),
      dnsBlock,
    );
    const harness = Object.assign(new Harness(), { source: list, list });
    await harness.runStream('dns-blocks', { pageLimit: 10, ...change });
    expect(harness.lines).toHaveLength(count);
    return Object.assign(harness.later(), { list });
  }

  test.each([
    [10, 1],
    [1, 10],
    [500, 1],
  ])('a page limit that changes from %d to %d sends no known DNS block again', async (before, after) => {
    const harness = await having(27, { pageLimit: before });
    for (const count of [27, 27, 28]) {
      if (count > harness.list.ids.length) harness.list.put(['new'], dnsBlock);
      await harness.runStream('dns-blocks', { pageLimit: after });
    }
    expect(harness.sent).toEqual(['dns_block new']);
  });

  test('a member that is left out from now on sends no known DNS block again', async () => {
    const harness = await having(27);
    const selections = { 'dns-blocks': { omit: ['domain'] } };
    await harness.runStream('dns-blocks', { pageLimit: 10, selections });
    harness.list.put(['new'], dnsBlock);
    await harness.runStream('dns-blocks', { pageLimit: 10, selections });
    expect(harness.sent).toEqual(['dns_block new']);
    expect(harness.events[0]!.row).not.toHaveProperty('domain');
  });

  test('each DNS block is sent once, however the page limit changes and wherever the time ends', async () => {
    const limit = fc.constantFrom(1, 2, 3, 10, 500);
    const run = fc.record({ limit, pages: fc.nat({ max: 4 }), added: fc.nat({ max: 12 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 20 }), async runs => {
        const list = new ListApi();
        const harness = Object.assign(new Harness(), { source: list });
        for (const { limit: pageLimit, pages, added } of [...runs, { limit: 500, pages: 1_000, added: 0 }]) {
          for (let count = 0; count < added; count++) list.put([`d${list.ids.length}`], dnsBlock);
          let read = 0;
          await harness.runStream('dns-blocks', { pageLimit, outOfTime: () => read++ > pages });
        }
        expect(harness.sent).toEqual(list.ids.map(id => `dns_block ${id}`));
      }),
      { numRuns: 200 },
    );
  });
});

describe('row states', () => {
  test('a known row is suppressed over runs, whatever its place in the stream', async () => {
    const harness = new Harness();
    harness.api.pages('/t', [[threat('t', 'a')], []]);
    await harness.runStream('threats');
    harness.later().api.next('/t', 'c1', [threat('t', 'a', { position: 'p8' })]);
    expect(await harness.runStream('threats')).toMatchObject({ forwarded: 0, suppressed: 1 });
    expect(harness.journal.done).toEqual(['threats look-up t', 'threats checkpoint']);
  });

  test('an asset created and removed within one page is never sent', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a'), tombstone('a', { version: 2 })]]);
    expect(await harness.runStream('assets')).toMatchObject({ unseenTombstones: 1, superseded: 1 });
    expect(harness.sent).toEqual([]);
  });

  test('a threat that moves away and back while pages overlap has an entry under its asset', async () => {
    const harness = new Harness();
    const moves = ['a', 'b', 'a', 'b', 'a'].map((parent, version) => [threat('t', parent, { version })]);
    harness.api.pages('/t', moves);
    harness.journal.hook = async step => {
      if (step === 'threats delivery') await new Promise(setImmediate);
    };
    await harness.runStream('threats');
    expect(harness.table.state('threats', 't')).toMatchObject({ parent: 'a' });
    expect(harness.table.children('threats')).toContain('a t');
  });

  test('nothing is sent again when the settings name another member for the asset of a threat', async () => {
    const harness = new Harness();
    harness.api.pages('/t', [[threat('t', 'a')]]);
    await harness.runStream('threats', { parentMember: 'host' });
    expect(harness.table.children('threats')).toEqual([]);
    harness.later().api.pages('/t', [[threat('t', 'a', { position: 'p2' })]]);
    expect(await harness.runStream('threats')).toMatchObject({ rows: 1, forwarded: 0, suppressed: 1 });
    expect([harness.sent, harness.table.children('threats')]).toEqual([[], ['a t']]);
  });
});
