import { describe, expect, test } from '@jest/globals';
import type { RunOutcome } from '../../../lambda/core/run-streams.ts';
import { Harness } from './support/harness.ts';
import { rowState } from './support/memory-table.ts';
import { answer, asset, threat, tombstone } from './support/rows.ts';

const gone = (id: string, version = 2): string => tombstone(id, { version });
/** Its position differs from that of the delivery before the removal. */
const back = (id: string): string => asset(id, { position: 'p3' });

/** The SIEM has asset `a` with threats `t1` and `t2`, and asset `b` with `u`. The next page of assets holds `next`. */
async function removing(...next: string[]): Promise<Harness> {
  const harness = new Harness();
  harness.api.pages('/a', [[asset('a'), asset('b')], []]);
  harness.api.pages('/t', [[threat('t1', 'a'), threat('t2', 'a'), threat('u', 'b')], []]);
  harness.api.pages('/d', [[]]);
  await harness.run();
  harness.later().api.next('/a', 'c1', next);
  return harness;
}

const inventory = (harness: Harness): Promise<RunOutcome> => harness.run({ only: ['assets', 'threats'] });

describe('withdrawals', () => {
  test('the known threats of a removed asset are withdrawn after its tombstone, and those of other assets are not', async () => {
    const harness = await removing(gone('a'));
    const { results, failures } = await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t1', 'withdrawn t2']);
    expect(harness.events[1]).toMatchObject({ asset_id: 'a', time: '2026-11-20T09:10:00Z', stream_position: 'p2' });
    expect([results.get('threats')!.withdrawn, failures.size]).toEqual([2, 0]);
  });

  test('a withdrawal deletes the entries of the child index and the listed removal, and no later run repeats it', async () => {
    const harness = await removing(gone('a'));
    await inventory(harness);
    expect([harness.table.children('threats'), harness.table.removals('assets')]).toEqual([['b u'], []]);
    await inventory(harness.later());
    expect([harness.sent, harness.journal.begun]).toEqual([[], []]);
  });

  test('withdrawals are committed as a page is, then leave the child index, and the listed removal is deleted last', async () => {
    const harness = await removing(gone('a'));
    await inventory(harness);
    const steps = harness.journal.done.slice(harness.journal.done.indexOf('assets checkpoint') + 1);
    expect(steps.slice(0, 8)).toEqual([
      'assets look-up a',
      'threats look-up t1 t2',
      'threats intents',
      'threats delivery',
      'threats states',
      'threats checkpoint',
      'threats children deleted',
      'assets removals deleted a',
    ]);
  });

  test('an asset restored in the same walk is removed from the list, and its threats stay', async () => {
    const harness = await removing(gone('a'), asset('x'));
    harness.api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'upsert x', 'upsert a']);
    expect([harness.table.removals('assets'), harness.table.children('threats')]).toEqual([
      [],
      ['a t1', 'a t2', 'b u'],
    ]);
  });

  test('an asset restored and removed again in the same walk has its threats withdrawn', async () => {
    const harness = await removing(gone('a'));
    harness.api
      .on('/a', 'c2', answer([back('a')], 'c3'))
      .on('/a', 'c3', answer([tombstone('a', { version: 4, deleted_at: '2026-11-20T09:14:00Z' })], null));
    await inventory(harness);
    expect(harness.sent.slice(-2)).toEqual(['withdrawn t1', 'withdrawn t2']);
    expect(harness.events.at(-1)).toMatchObject({ time: '2026-11-20T09:14:00Z', stream_position: 'p4' });
  });

  test('the threats of an asset never seen are withdrawn with its tombstone', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[]]).pages('/t', [[threat('t', 'ghost')], []]);
    await inventory(harness);
    harness.later().api.pages('/a', [[tombstone('ghost')]]);
    await inventory(harness);
    expect(harness.sent).toEqual(['withdrawn t']);
  });

  test('a threat that moved to another asset is withdrawn with its new asset, not with its old one', async () => {
    const harness = await removing();
    harness.api.next('/t', 'c1', [threat('t1', 'b', { version: 2 })]);
    await inventory(harness);
    harness.later().api.next('/a', 'c2', [gone('a')]);
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t2']);
    harness.later().api.on('/a', 'c3', answer([gone('b')], null));
    await inventory(harness);
    expect(new Set(harness.sent)).toEqual(new Set(['tombstone b', 'withdrawn t1', 'withdrawn u']));
  });

  test('a threat withdrawn with its new asset is not withdrawn again with its old one', async () => {
    const harness = await removing();
    harness.api.next('/t', 'c1', [threat('t1', 'b', { version: 2 })]);
    await inventory(harness);
    harness
      .later()
      .api.on('/a', 'c2', answer([gone('b')], 'c3'))
      .on('/a', 'c3', answer([gone('a')], null));
    await inventory(harness);
    const withdrawn = harness.sent.filter(each => each.startsWith('withdrawn'));
    expect(withdrawn.toSorted()).toEqual(['withdrawn t1', 'withdrawn t2', 'withdrawn u']);
  });
});

describe('rows that come back after a withdrawal', () => {
  test('a threat that comes back counts as new, even as it was and where it was, and has another event_id', async () => {
    const harness = await removing(gone('a'));
    const first = new Map(harness.events.map(({ id, event_id }) => [id, event_id]));
    await inventory(harness);
    harness
      .later()
      .api.on('/a', 'c2', answer([back('a')], null))
      .on('/t', 'c1', answer([threat('t1', 'a')], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['upsert a', 'upsert t1']);
    expect(harness.table.children('threats')).toContain('a t1');
    expect(harness.events[1]!.event_id).not.toBe(first.get('t1'));
  });

  test('a threat that comes back on a page that the window knows is sent, because the window forgets withdrawn rows', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a'), threat('u', 'b')]]);
    await inventory(harness);
    const before = harness.events.find(({ id }) => id === 't')!.event_id;
    harness
      .later()
      .api.pages('/a', [[gone('a')]])
      .pages('/t', [[threat('u', 'b')]]);
    await inventory(harness);
    harness
      .later()
      .api.pages('/a', [[back('a')]])
      .pages('/t', [[threat('t', 'a'), threat('u', 'b')]]);
    await inventory(harness);
    expect(harness.sent).toEqual(['upsert a', 'upsert t']);
    expect(harness.events[1]!.event_id).not.toBe(before);
    await inventory(harness.later());
    expect(harness.sent).toEqual([]);
  });
});

describe('removals and late writes', () => {
  test('a live state of an earlier event, written late over the removal, neither keeps the threats nor hides the restored asset', async () => {
    const harness = await removing(gone('a'));
    await harness.run({ only: ['assets'] });
    const late = { ...harness.table.state('assets', 'a'), status: 'live', sequence: '00000000010000000001' } as const;
    harness.table.putState('assets', 'a', rowState(late));
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t1', 'withdrawn t2']);
    expect(harness.table.state('assets', 'a')).toMatchObject({ status: 'removed' });
    harness.later().api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('the tombstone of an asset never seen is listed with a sequence of its own, so that only what follows restores the asset', async () => {
    const harness = await removing(asset('x'), gone('never-seen'));
    await harness.run({ only: ['assets'] });
    const [listed] = harness.table.removals('assets');
    expect(listed!.sequence > harness.events.at(-1)!.sequence).toBe(true);
  });
});

const PIECE = 500;

describe('withdrawals through crashes and spent time budgets', () => {
  test.each(['threats states', 'threats delivery', 'threats children deleted', 'assets removals deleted a'])(
    'a withdrawal killed at "%s" is finished by the next run, and repeats have the same event_id',
    async step => {
      const harness = await removing(gone('a'));
      harness.journal.fail(step);
      const { failures, interrupted } = await inventory(harness);
      expect([[...failures.keys()], interrupted]).toEqual([['threats'], true]);
      expect(harness.table.removals('assets').map(({ id }) => id)).toEqual(['a']);
      harness.journal.clear();
      await inventory(harness);
      const eventIds = new Map<string, Set<string>>();
      for (const { kind, id, event_id } of harness.events) {
        if (kind === 'withdrawn') eventIds.set(id, (eventIds.get(id) ?? new Set()).add(event_id));
      }
      expect([...eventIds].map(([id, each]) => [id, each.size])).toEqual([
        ['t1', 1],
        ['t2', 1],
      ]);
      expect([harness.table.removals('assets'), harness.table.children('threats')]).toEqual([[], ['b u']]);
    },
  );

  test('the many threats of one asset are withdrawn in pieces, over runs, each threat once', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]).pages('/t', [[]]);
    await inventory(harness);
    const ids = Array.from({ length: 2 * PIECE + 7 }, (_, index) => `t${index}`);
    for (const id of ids) {
      harness.table.putState('threats', id, rowState({ parent: 'a' }));
      harness.table.putChild('threats', { parent: 'a', id, sequence: '00000000010000000001' });
    }
    harness.later().api.on('/a', 'c1', answer([gone('a')], null));
    const outOfTime = () => harness.lines.length > PIECE;
    const { results } = await harness.run({ only: ['assets', 'threats'], outOfTime });
    expect([results.get('threats')!.withdrawn, results.get('threats')!.caughtUp]).toEqual([PIECE, false]);
    expect([harness.table.removals('assets').length, harness.api.sent('/t')]).toEqual([1, []]);
    await inventory(harness);
    const withdrawn = harness.events.filter(({ kind }) => kind === 'withdrawn').map(({ id }) => id);
    expect(withdrawn.toSorted()).toEqual(ids.toSorted());
    expect([harness.table.removals('assets'), harness.table.children('threats')]).toEqual([[], []]);
  });

  test('a threat sent just before a crash is withdrawn although it has no row state', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')], []]).pages('/t', [[threat('t', 'a')], []]);
    harness.journal.fail('threats states');
    await inventory(harness);
    harness
      .later()
      .api.on('/a', 'c1', answer([gone('a')], null))
      .pages('/t', [[]]);
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t']);
  });

  test('a threat that moved just before a crash is withdrawn with its new asset', async () => {
    const harness = await removing();
    harness.api.next('/t', 'c1', [threat('t1', 'b', { version: 2 })]);
    harness.journal.fail('threats states');
    await inventory(harness);
    harness
      .later()
      .api.on('/a', 'c2', answer([gone('b')], null))
      .on('/t', 'c1', answer([], null));
    await inventory(harness);
    expect(harness.sent.toSorted()).toEqual(['tombstone b', 'withdrawn t1', 'withdrawn u']);
  });

  test('listed removals wait for the end of the asset walk', async () => {
    const harness = await removing(gone('a'));
    let pages = 0;
    await harness.run({ only: ['assets', 'threats'], outOfTime: () => pages++ > 0 });
    expect(harness.sent).toEqual(['tombstone a']);
    harness.api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness.later());
    expect(harness.sent).toEqual(['upsert a']);
  });
});

describe('a withdrawal that was half done when its asset was restored', () => {
  /** Asset `a` was removed, the run was killed at a step of the withdrawal of `t1` and `t2`, and the asset is back. */
  async function halfDone(step: string): Promise<Harness> {
    const harness = await removing(gone('a'));
    harness.journal.fail(step);
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t1', 'withdrawn t2']);
    harness.journal.clear();
    harness.api.on('/a', 'c2', answer([back('a')], null));
    return harness;
  }

  test('when the kill came before the row states, it is completed under the same event ids before the removal is struck off', async () => {
    const harness = await halfDone('threats states');
    const ids = harness.events.slice(1).map(({ event_id }) => event_id);
    await inventory(harness);
    expect(harness.sent.slice(3)).toEqual(['upsert a', 'withdrawn t1', 'withdrawn t2']);
    expect(harness.events.slice(4).map(({ event_id }) => event_id)).toEqual(ids);
    const { done } = harness.journal;
    expect(done.indexOf('threats states')).toBeLessThan(done.indexOf('assets removals deleted a'));
    for (const id of ['t1', 't2']) expect(harness.table.state('threats', id)).toMatchObject({ status: 'removed' });
  });

  test('when the kill came after the row states, nothing of it is sent again', async () => {
    const harness = await halfDone('threats checkpoint');
    await inventory(harness);
    expect(harness.sent.slice(3)).toEqual(['upsert a']);
    expect(harness.table.removals('assets')).toEqual([]);
  });

  test('the removal stays listed until it is completed, through another kill', async () => {
    const harness = await halfDone('threats states');
    harness.journal.fail('threats delivery');
    await inventory(harness);
    expect(harness.table.removals('assets').map(({ id }) => id)).toEqual(['a']);
    harness.journal.clear();
    await inventory(harness.later());
    expect(harness.sent).toEqual(['withdrawn t1', 'withdrawn t2']);
    expect(harness.table.removals('assets')).toEqual([]);
  });

  test('its threats that are delivered again come back as another revision, and leave with their asset again', async () => {
    const harness = await halfDone('threats states');
    harness.api.on('/t', 'c1', answer([threat('t1', 'a')], null));
    await inventory(harness.later());
    expect(harness.sent).toEqual(['upsert a', 'withdrawn t1', 'withdrawn t2', 'upsert t1']);
    expect(harness.table.state('threats', 't1')).toMatchObject({ status: 'live', revision: 1 });
    harness.later().api.on('/a', 'c2', answer([back('a'), gone('a', 4)], null));
    harness.api.on('/t', 'c1', answer([], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t1']);
  });

  test('threats of which a kill left open whether they were withdrawn are withdrawn, so that SIEM and table agree', async () => {
    const harness = await removing(gone('a'));
    harness.journal.fail('threats delivery');
    await inventory(harness);
    harness.later().api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['upsert a', 'withdrawn t1', 'withdrawn t2']);
  });
});

describe('withdrawals in batches', () => {
  const ASSETS = 250;
  const BATCHES = 3;

  /** The SIEM has these assets, each with the threats `<asset>-1` and `<asset>-2`. Their tombstones were sent and are listed. */
  async function listed(ids: readonly string[]): Promise<Harness> {
    const harness = new Harness();
    harness.api.pages('/a', [[]]).pages('/t', [[]]);
    const sequence = '00000000010000000001';
    for (const parent of ids) {
      harness.table.putState('assets', parent, rowState({ status: 'removed' }));
      harness.table.putRemoval('assets', { id: parent, deletedAt: undefined, position: undefined, sequence });
      for (const id of [`${parent}-1`, `${parent}-2`]) {
        harness.table.putState('threats', id, rowState({ parent }));
        harness.table.putChild('threats', { parent, id, sequence });
      }
    }
    return harness;
  }

  const steps = (harness: Harness, step: string) =>
    harness.journal.done.filter(each => each === step || each.startsWith(`${step} `)).length;

  test('250 removals with two threats each are withdrawn in three batches, with one call of each kind per batch', async () => {
    const ids = Array.from({ length: ASSETS }, (_, index) => `a${index}`);
    const harness = await listed(ids);
    const { results } = await inventory(harness);
    expect(results.get('threats')).toMatchObject({ withdrawn: 2 * ASSETS, caughtUp: true });
    expect(harness.sent.toSorted()).toEqual(ids.flatMap(id => [`withdrawn ${id}-1`, `withdrawn ${id}-2`]).toSorted());
    expect(new Set(harness.events.map(({ sequence }) => sequence)).size).toBe(2 * ASSETS);
    const calls = Object.fromEntries(
      [
        'assets look-up',
        'threats look-up',
        'threats intents',
        'threats delivery',
        'threats states',
        'threats children deleted',
        'assets removals deleted',
      ].map(step => [step, steps(harness, step)]),
    );
    expect([...new Set(Object.values(calls))]).toEqual([BATCHES]);
    const others = harness.journal.done.filter(step => !step.endsWith(' checkpoint'));
    expect(others).toHaveLength(Object.keys(calls).length * BATCHES);
    expect([harness.table.removals('assets'), harness.table.children('threats')]).toEqual([[], []]);
  });

  test('a batch with more threats than one piece withdraws each of them once', async () => {
    const harness = await listed(['a', 'b', 'c']);
    const many = Array.from({ length: PIECE }, (_, index) => `b-${index + 3}`);
    for (const id of many) {
      harness.table.putState('threats', id, rowState({ parent: 'b' }));
      harness.table.putChild('threats', { parent: 'b', id, sequence: '00000000010000000001' });
    }
    await inventory(harness);
    expect(new Set(harness.sent).size).toBe(many.length + 6);
    expect(harness.sent).toHaveLength(many.length + 6);
    expect([harness.table.removals('assets'), harness.table.children('threats')]).toEqual([[], []]);
  });

  test('a batch that a restored asset is part of leaves the threats of that asset alone', async () => {
    const harness = await removing(gone('a'), gone('b'));
    harness.api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'tombstone b', 'upsert a', 'withdrawn u']);
    expect(harness.table.state('threats', 't1')).toMatchObject({ status: 'live' });
    expect([harness.table.removals('assets'), harness.table.children('threats')]).toEqual([[], ['a t1', 'a t2']]);
  });

  test.each([
    ['the same batch', 2],
    ['different batches', ASSETS],
  ])(
    'a threat that moved between two removed assets of %s is withdrawn once, with its new asset',
    async (_where, count) => {
      const ids = Array.from({ length: count }, (_, index) => `a${index}`);
      const [old, latest] = [ids[0]!, ids.at(-1)!];
      for (const [from, to] of [
        [old, latest],
        [latest, old],
      ] as const) {
        const harness = await listed(ids);
        for (const parent of [from, to])
          harness.table.putChild('threats', { parent, id: 'moved', sequence: '00000000010000000001' });
        harness.table.putState('threats', 'moved', rowState({ parent: to }));
        await inventory(harness);
        const withdrawn = harness.events.filter(({ id }) => id === 'moved');
        expect(withdrawn.map(({ kind, asset_id }) => [kind, asset_id])).toEqual([['withdrawn', to]]);
        expect(harness.sent).toHaveLength(2 * count + 1);
        expect(harness.table.children('threats')).toEqual([]);
      }
    },
  );
});
