/** What a drain makes of doubt after a crash, of damage, and of an operator's resync and replay. */
import { describe, expect, test } from '@jest/globals';
import { DeliveryError, StateDamagedError } from '../../../lambda/core/errors.ts';
import { rowState } from './support/memory-table.ts';
import { answer, asset, dnsBlock, tombstone } from './support/rows.ts';
import { Stand } from './support/stand.ts';

describe('in doubt after a crash between the ack and the row states', () => {
  /** The page is sent, its states are not recorded. */
  async function crashed(stand: Stand): Promise<void> {
    stand.journal.fail('assets states');
    await expect(stand.drain('assets')).rejects.toThrow('fault at assets states');
    stand.later();
  }

  test('an asset that was sent and is then removed leaves no ghost: its tombstone is sent', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], []]);
    await crashed(stand);
    stand.api.pages('/a', [[tombstone('a', { version: 2 })], []]);
    await stand.drain('assets');
    expect(stand.sent).toEqual(['tombstone a']);
  });

  test('a change that was sent and is then undone is told to be undone', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a', { version: 1 })]]);
    await stand.drain('assets');
    stand.later().api.pages('/a', [[asset('a', { version: 2 })]]);
    await crashed(stand);
    stand.api.pages('/a', [[asset('a', { version: 1, position: 'p3' })]]);
    await stand.drain('assets');
    expect(stand.events.map(({ row }) => row?.['version'])).toEqual([1]);
  });

  test('an unconfirmed row is sent although the window has it: the previous version, delivered again unchanged', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a', { version: 1 })]]);
    await stand.drain('assets');
    stand.later().api.pages('/a', [[asset('a', { version: 2 })]]);
    await crashed(stand);
    stand.api.pages('/a', [[asset('a', { version: 1 })]]);
    expect(await stand.drain('assets')).toMatchObject({ forwarded: 1, suppressed: 0 });
    expect(stand.events.map(({ row }) => row?.['version'])).toEqual([1]);
  });

  test('the doubt ends with the checkpoint of the page that resolves it', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a'), asset('b')], []]);
    await crashed(stand);
    await stand.drain('assets');
    stand.later().api.on('/a', 'c1', answer([asset('a', { position: 'p8' }), asset('b', { position: 'p9' })], null));
    expect(await stand.drain('assets')).toMatchObject({ forwarded: 0, suppressed: 2 });
  });

  test('the doubt about ids that do not come again is kept, over any number of runs', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], []]);
    await crashed(stand);
    stand.api.pages('/a', [[asset('b')], [asset('c')], []]);
    await stand.drain('assets');
    stand
      .later()
      .api.on('/a', 'c2', answer([asset('d')], 'c3'))
      .on('/a', 'c3', answer([tombstone('a')], null));
    await stand.drain('assets');
    expect(stand.sent).toEqual(['upsert d', 'tombstone a']);
  });
});

describe('resync and replay', () => {
  async function drained(): Promise<Stand> {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [asset('b')], []]).pages('/d', [[dnsBlock('d1')], [dnsBlock('d2')], []]);
    await stand.drain('assets');
    await stand.drain('dns-blocks');
    return stand.later();
  }

  test('resync reads everything again and sends only what differs', async () => {
    const stand = await drained();
    stand.api.pages('/a', [[asset('a')], [asset('b', { version: 2 })], []]);
    await stand.drain('assets', { resync: ['assets'] });
    expect(stand.api.sent('/a')).toEqual([undefined, 'c1', 'c2']);
    expect(stand.events.map(({ id, row }) => [id, row?.['version']])).toEqual([['b', 2]]);
  });

  test('replay sends everything again once, under the same event ids, and then no more', async () => {
    const stand = await drained();
    await stand.drain('assets', { replay: ['assets'] });
    const replayed = stand.events;
    expect(stand.sent).toEqual(['upsert a', 'upsert b']);
    stand.api.pages('/a', [[asset('a')], [asset('b')], []]);
    await stand.later().drain('assets', { resync: ['assets'] });
    expect(stand.sent).toEqual([]);
    await stand.later().drain('assets', { replay: ['assets'] });
    expect(stand.events.map(each => each.event_id)).toEqual(replayed.map(each => each.event_id));
    expect(stand.events[0]!.sequence > replayed[1]!.sequence).toBe(true);
  });

  test('replay of a tombstone tells the SIEM that the asset is gone', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [tombstone('a', { version: 2 })]]);
    await stand.drain('assets');
    stand.later().api.pages('/a', [[tombstone('a', { version: 2 })]]);
    await stand.drain('assets', { replay: ['assets'] });
    expect(stand.sent).toEqual(['tombstone a']);
  });

  test('resync of DNS blocks keeps the window, replay does not', async () => {
    const stand = await drained();
    await stand.drain('dns-blocks', { resync: ['dns-blocks'] });
    expect(stand.sent).toEqual([]);
    await stand.later().drain('dns-blocks', { replay: ['dns-blocks'] });
    expect(stand.sent).toEqual(['dns_block d1', 'dns_block d2']);
  });

  test('a replay that the time budget cut goes on in the next run', async () => {
    const stand = await drained();
    await stand.drain('assets', { replay: ['assets'], outOfTime: () => stand.lines.length > 0 });
    await stand.drain('assets');
    expect(new Set(stand.sent)).toEqual(new Set(['upsert a', 'upsert b']));
  });

  test('other streams are left alone', async () => {
    const stand = await drained();
    stand.api.pages('/t', [[]]);
    await stand.tick({ replay: ['assets'] });
    expect(stand.sent).toEqual(['upsert a', 'upsert b']);
  });
});

describe('mending damaged states', () => {
  const damage = new StateDamagedError('A row state', 'assets', 'its seal is broken');

  async function damaged(): Promise<Stand> {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], [asset('b')], []]);
    await stand.drain('assets');
    stand.table.putState('assets', 'a', damage);
    stand.later().api.on('/a', 'c2', answer([asset('a', { version: 2 })], null));
    return stand;
  }

  test('a damaged state fails the stream with what to do, and nothing is guessed or saved', async () => {
    const stand = await damaged();
    const before = stand.table.checkpoint('assets');
    await expect(stand.drain('assets')).rejects.toThrow(/Resync the stream.*"resync":\["assets"\]/);
    expect([stand.sent, stand.table.checkpoint('assets')]).toEqual([[], before]);
  });

  test('a resync overwrites it: the row is sent, and the stream is sound again', async () => {
    const stand = await damaged();
    stand.api.pages('/a', [[asset('a')], [asset('b')], []]);
    await stand.drain('assets', { resync: ['assets'] });
    expect(stand.sent).toEqual(['upsert a']);
    expect(stand.table.state('assets', 'a')).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(stand.table.checkpoint('assets').mending).toBe(false);
  });

  test('a resync that the time budget cut still mends in the next run', async () => {
    const stand = await damaged();
    stand.api.pages('/a', [[asset('b')], [asset('a')], []]);
    let pages = 0;
    await stand.drain('assets', { resync: ['assets'], outOfTime: () => pages++ > 0 });
    expect(stand.table.checkpoint('assets').mending).toBe(true);
    await stand.drain('assets');
    expect([stand.sent, stand.table.checkpoint('assets').mending]).toEqual([['upsert a'], false]);
  });

  test('a repair ends with its last commit: when the last page fails, the stream is still under repair', async () => {
    const stand = await damaged();
    stand.api.pages('/a', [[asset('b')], [asset('a', { version: 3 })]]);
    stand.journal.hook = async step => {
      if (step !== 'assets delivery') return;
      await new Promise(setImmediate);
      throw new DeliveryError('refused');
    };
    await expect(stand.drain('assets', { resync: ['assets'] })).rejects.toThrow(DeliveryError);
    expect(stand.table.checkpoint('assets').mending).toBe(true);
    stand.later();
    await stand.drain('assets');
    expect([stand.sent, stand.table.checkpoint('assets').mending]).toEqual([['upsert a'], false]);
  });

  test('the tombstone of an asset whose state is damaged is sent: the SIEM may have it', async () => {
    const stand = await damaged();
    stand.api.pages('/a', [[tombstone('a')], [asset('b')], []]);
    await stand.drain('assets', { resync: ['assets'] });
    expect(stand.sent).toEqual(['tombstone a']);
  });

  test('an unreadable checkpoint fails its stream until a resync, which then sends everything', async () => {
    const stand = await damaged();
    stand.table.putState('assets', 'a', rowState());
    stand.table.damaged.set('assets', new StateDamagedError('The checkpoint', 'assets', 'its seal is broken'));
    await expect(stand.drain('assets')).rejects.toThrow(/The checkpoint of assets cannot be read/);
    expect(stand.api.requests).toEqual([]);
    stand.api.pages('/a', [[asset('a')], [asset('b')], []]);
    await stand.drain('assets', { resync: ['assets'] });
    expect(stand.sent).toEqual(['upsert a', 'upsert b']);
  });
});
