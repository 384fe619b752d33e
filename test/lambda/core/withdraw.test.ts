import { describe, expect, test } from '@jest/globals';
import { Harness } from './support/harness.ts';
import { rowState } from './support/memory-table.ts';
import { back, gone, inventory, removing } from './support/removal.ts';
import { answer, asset, threat, tombstone } from './support/rows.ts';

describe('withdrawal', () => {
  test('the known threats of a removed asset are withdrawn after its tombstone, those of others are not', async () => {
    const harness = await removing(gone('a'));
    const { results, failures } = await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t1', 'withdrawn t2']);
    expect(harness.events[1]).toMatchObject({ asset_id: 'a', time: '2026-11-20T09:10:00Z', stream_position: 'p2' });
    expect([results.get('threats')!.withdrawn, failures.size]).toEqual([2, 0]);
  });

  test('then nothing of it is left to do: memberships and list entry are gone, and no run repeats it', async () => {
    const harness = await removing(gone('a'));
    await inventory(harness);
    expect([harness.table.children('threats'), harness.table.removals('assets')]).toEqual([['b u'], []]);
    await inventory(harness.later());
    expect([harness.sent, harness.journal.begun]).toEqual([[], []]);
  });

  test('each piece: states, ack, memberships; the list entry goes last', async () => {
    const harness = await removing(gone('a'));
    await inventory(harness);
    const steps = harness.journal.done.slice(harness.journal.done.indexOf('assets checkpoint') + 1);
    const notable = steps.filter(step => !/look-up|checkpoint/.test(step));
    expect(notable.slice(0, 4)).toEqual([
      'threats states',
      'threats delivery',
      'threats children deleted',
      'assets struck a',
    ]);
  });

  test('an asset restored in the same walk is struck off, and its threats stay', async () => {
    const harness = await removing(gone('a'), asset('x'));
    harness.api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'upsert x', 'upsert a']);
    expect([harness.table.removals('assets'), harness.table.children('threats')]).toEqual([
      [],
      ['a t1', 'a t2', 'b u'],
    ]);
  });

  test('an asset restored and removed again in the same walk is withdrawn', async () => {
    const harness = await removing(gone('a'));
    harness.api
      .on('/a', 'c2', answer([back('a')], 'c3'))
      .on('/a', 'c3', answer([tombstone('a', { version: 4, deleted_at: '2026-11-20T09:14:00Z' })], null));
    await inventory(harness);
    expect(harness.sent.slice(-2)).toEqual(['withdrawn t1', 'withdrawn t2']);
    expect(harness.events.at(-1)).toMatchObject({ time: '2026-11-20T09:14:00Z', stream_position: 'p4' });
  });

  test('unseen tombstones: threats of an asset never seen are withdrawn all the same', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[]]).pages('/t', [[threat('t', 'ghost')], []]);
    await inventory(harness);
    harness.later().api.pages('/a', [[tombstone('ghost')]]);
    await inventory(harness);
    expect(harness.sent).toEqual(['withdrawn t']);
  });

  test('a threat that moved to another asset is not withdrawn with its old one, but with its new one', async () => {
    const harness = await removing();
    harness.api.on('/t', 'c1', answer([threat('t1', 'b', { version: 2 })], 'c2')).on('/t', 'c2', answer([], null));
    await inventory(harness);
    harness
      .later()
      .api.on('/a', 'c2', answer([gone('a')], 'c3'))
      .on('/a', 'c3', answer([], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t2']);
    harness.later().api.on('/a', 'c3', answer([gone('b')], null));
    await inventory(harness);
    expect(new Set(harness.sent)).toEqual(new Set(['tombstone b', 'withdrawn t1', 'withdrawn u']));
  });

  test('a threat withdrawn with its new asset is not withdrawn again with its old one', async () => {
    const harness = await removing();
    harness.api.on('/t', 'c1', answer([threat('t1', 'b', { version: 2 })], 'c2')).on('/t', 'c2', answer([], null));
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

describe('what comes back after a withdrawal', () => {
  test('counts as new, even as it was and where it was: it is sent under another event_id', async () => {
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

  test('is found although the window knows the page: withdrawn rows are forgotten', async () => {
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

  test('is withdrawn again when its asset is removed again', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a')]]);
    await inventory(harness);
    const ids: string[] = [];
    for (const [version, row] of [gone('a', 2), back('a'), gone('a', 4)].entries()) {
      harness
        .later()
        .api.pages('/a', [[row]])
        .pages('/t', [version === 1 ? [threat('t', 'a')] : []]);
      await inventory(harness);
      ids.push(...harness.events.filter(({ stream }) => stream === 'threats').map(({ kind }) => kind));
    }
    expect(ids).toEqual(['withdrawn', 'upsert', 'withdrawn']);
  });

  test('has another event_id also when the run was killed right after the withdrawal', async () => {
    const harness = new Harness();
    harness.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a')]]);
    await inventory(harness);
    const before = harness.events.find(({ id }) => id === 't')!.event_id;
    harness
      .later()
      .api.pages('/a', [[gone('a')]])
      .pages('/t', [[]]);
    harness.journal.fail('threats children deleted');
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t']);
    harness
      .later()
      .api.pages('/a', [[back('a')]])
      .pages('/t', [[threat('t', 'a')]]);
    await inventory(harness);
    expect(harness.sent).toEqual(['upsert a', 'upsert t']);
    expect(harness.events[1]!.event_id).not.toBe(before);
  });
});

describe('a removal is struck off only by an event after its tombstone', () => {
  /** As a write of an earlier run leaves it that landed late, over the state that said "removed". */
  async function withLateState() {
    const harness = await removing(gone('a'));
    await harness.run({ only: ['assets'] });
    const late = {
      ...harness.table.state('assets', 'a'),
      removed: false,
      rowHash: 'of before',
      sequence: '00000000010000000001',
    };
    harness.table.putState('assets', 'a', rowState(late));
    return harness;
  }

  test('a live state of an earlier event, written late, does not keep the threats in the SIEM', async () => {
    const harness = await withLateState();
    await inventory(harness);
    expect(harness.sent).toEqual(['tombstone a', 'withdrawn t1', 'withdrawn t2']);
  });

  test('and is put right, so that the asset is sent when it is restored as it was', async () => {
    const harness = await withLateState();
    await inventory(harness);
    expect(harness.table.state('assets', 'a')).toMatchObject({ removed: true });
    harness.later().api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness);
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('the tombstone of an asset that was never seen counts as told at the last event before it', async () => {
    const harness = await removing(asset('x'), gone('never-seen'));
    await harness.run({ only: ['assets'] });
    expect(harness.table.removals('assets')).toMatchObject([
      { id: 'never-seen', sequence: harness.events.at(-1)!.sequence },
    ]);
  });
});
