/** Unconfirmed rows after a crash, and an operator's resync and replay. */
import { describe, expect, test } from '@jest/globals';
import { StateVersionError } from '../../../lambda/core/errors.ts';
import { Harness } from './support/harness.ts';
import { answer, asset, dnsBlock, tombstone } from './support/rows.ts';

describe("unconfirmed rows after a crash between Firehose's acknowledgement and the row states", () => {
  /** The page is sent, and its row states are not written. */
  async function crashed(harness: Harness): Promise<void> {
    harness.journal.fail('assets states');
    await expect(harness.runStream('assets')).rejects.toThrow('fault at assets states');
    harness.later();
  }

  test('an asset that was sent before a crash and then removed gets its tombstone', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    await crashed(harness);
    harness.api.pages('/a', [[tombstone('a', { version: 2 })], []]);
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['tombstone a']);
  });

  test('a change that was sent before a crash and then undone is sent as undone', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a', { version: 1 })]]);
    await harness.runStream('assets');
    harness.later().api.pages('/a', [[asset('a', { version: 2 })]]);
    await crashed(harness);
    harness.api.pages('/a', [[asset('a', { version: 1, position: 'p3' })]]);
    await harness.runStream('assets');
    expect(harness.events.map(({ row }) => row?.['version'])).toEqual([1]);
  });

  test('the ids of a page whose commit failed stay noted when the next page writes its intent', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]);
    // The page before has failed by the time that the second page is looked up.
    harness.journal.hook = async step => {
      if (step === 'assets states') throw new Error('fault at assets states');
      if (step === 'assets look-up b') await new Promise(setImmediate);
    };
    await expect(harness.runStream('assets')).rejects.toThrow('fault at assets states');
    harness.later();
    harness.api.pages('/a', [[tombstone('a', { version: 2 }), asset('b')], []]);
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['tombstone a', 'upsert b']);
  });

  test('of two pages that a killed run prepared only the first can have been sent, so the second costs no repeat', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]);
    // Killed while the first page is delivered, after the intent of the second was written.
    const both = harness.journal.after('assets look-up b');
    harness.journal.hook = async step => {
      if (step !== 'assets states') return;
      await both;
      throw new Error('killed');
    };
    await expect(harness.runStream('assets')).rejects.toThrow('killed');
    expect([harness.sent, harness.table.intents.get('assets')?.length]).toEqual([['upsert a'], 2]);
    harness.later().api.pages('/a', [[asset('a')], [tombstone('b', { version: 2 })], []]);
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('an id is confirmed by the checkpoint of the page that sends it again', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a'), asset('b')], []]);
    await crashed(harness);
    await harness.runStream('assets');
    harness.later().api.on('/a', 'c1', answer([asset('a', { position: 'p8' }), asset('b', { position: 'p9' })], null));
    expect(await harness.runStream('assets')).toMatchObject({ forwarded: 0, suppressed: 2 });
  });

  test('ids that do not come again stay unconfirmed, over any number of runs', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]);
    await crashed(harness);
    harness.api.pages('/a', [[asset('b')], [asset('c')], []]);
    await harness.runStream('assets');
    harness
      .later()
      .api.on('/a', 'c2', answer([asset('d')], 'c3'))
      .on('/a', 'c3', answer([tombstone('a')], null));
    await harness.runStream('assets');
    expect(harness.sent).toEqual(['upsert d', 'tombstone a']);
  });
});

describe('resync and replay', () => {
  async function populated(): Promise<Harness> {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]).pages('/d', [[dnsBlock('d1')], [dnsBlock('d2')], []]);
    await harness.runStream('assets');
    await harness.runStream('dns-blocks');
    return harness.later();
  }

  test('a resync reads everything again and sends only what differs', async () => {
    const harness = await populated();
    harness.api.pages('/a', [[asset('a')], [asset('b', { version: 2 })], []]);
    await harness.runStream('assets', { resync: ['assets'] });
    expect(harness.api.sent('/a')).toEqual([undefined, 'c1', 'c2']);
    expect(harness.events.map(({ id, row }) => [id, row?.['version']])).toEqual([['b', 2]]);
  });

  test('a replay sends everything again once, under the same event ids, and then no more', async () => {
    const harness = await populated();
    await harness.runStream('assets', { replay: ['assets'] });
    const replayed = harness.events;
    expect(harness.sent).toEqual(['upsert a', 'upsert b']);
    harness.api.pages('/a', [[asset('a')], [asset('b')], []]);
    await harness.later().runStream('assets', { resync: ['assets'] });
    expect(harness.sent).toEqual([]);
    await harness.later().runStream('assets', { replay: ['assets'] });
    expect(harness.events.map(each => each.event_id)).toEqual(replayed.map(each => each.event_id));
    expect(harness.events[0]!.sequence > replayed[1]!.sequence).toBe(true);
  });

  test('a replay of a tombstone sends the removal again', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], [tombstone('a', { version: 2 })]]);
    await harness.runStream('assets');
    harness.later().api.pages('/a', [[tombstone('a', { version: 2 })]]);
    await harness.runStream('assets', { replay: ['assets'] });
    expect(harness.sent).toEqual(['tombstone a']);
  });

  test('a resync of DNS blocks keeps the window, a replay does not', async () => {
    const harness = await populated();
    await harness.runStream('dns-blocks', { resync: ['dns-blocks'] });
    expect(harness.sent).toEqual([]);
    await harness.later().runStream('dns-blocks', { replay: ['dns-blocks'] });
    expect(harness.sent).toEqual(['dns_block d1', 'dns_block d2']);
  });

  test('a replay that the time budget cut continues in the next run', async () => {
    const harness = await populated();
    await harness.runStream('assets', { replay: ['assets'], outOfTime: () => harness.lines.length > 0 });
    await harness.runStream('assets');
    expect(new Set(harness.sent)).toEqual(new Set(['upsert a', 'upsert b']));
  });

  test('a replay of one stream leaves the other streams alone', async () => {
    const harness = await populated();
    harness.api.pages('/t', [[]]);
    await harness.run({ replay: ['assets'] });
    expect(harness.sent).toEqual(['upsert a', 'upsert b']);
  });
});

test('a checkpoint that another version has written fails its stream before anything is read, also at a resync', async () => {
  const harness = new Harness();
  harness.table.unreadable.set('assets', new StateVersionError('connector', '2', '1'));
  for (const resync of [[], ['assets']] as const) {
    await expect(harness.runStream('assets', { resync })).rejects.toThrow(StateVersionError);
  }
  expect([harness.api.requests, harness.journal.begun]).toEqual([[], []]);
});
