import { describe, expect, test } from '@jest/globals';
import { rowState } from './support/memory-table.ts';
import { back, gone, inventory, removing } from './support/removal.ts';
import { answer, asset, threat, tombstone } from './support/rows.ts';
import { Stand } from './support/stand.ts';

describe('withdrawal', () => {
  test('the known threats of a removed asset are withdrawn after its tombstone, those of others are not', async () => {
    const stand = await removing(gone('a'));
    const { results, failures } = await inventory(stand);
    expect(stand.sent).toEqual(['tombstone a', 'withdrawn t1', 'withdrawn t2']);
    expect(stand.events[1]).toMatchObject({ asset_id: 'a', time: '2026-11-20T09:10:00Z', stream_position: 'p2' });
    expect([results.get('threats')!.withdrawn, failures.size]).toEqual([2, 0]);
  });

  test('then nothing of it is left to do: memberships and list entry are gone, and no run repeats it', async () => {
    const stand = await removing(gone('a'));
    await inventory(stand);
    expect([stand.table.members('threats'), stand.table.withdrawals('assets')]).toEqual([['b u'], []]);
    await inventory(stand.later());
    expect([stand.sent, stand.journal.begun]).toEqual([[], []]);
  });

  test('each piece: states, ack, memberships; the list entry goes last', async () => {
    const stand = await removing(gone('a'));
    await inventory(stand);
    const steps = stand.journal.done.slice(stand.journal.done.indexOf('assets checkpoint') + 1);
    const notable = steps.filter(step => !/look-up|checkpoint/.test(step));
    expect(notable.slice(0, 4)).toEqual([
      'threats states',
      'threats delivery',
      'threats memberships deleted',
      'assets struck a',
    ]);
  });

  test('an asset restored in the same walk is struck off, and its threats stay', async () => {
    const stand = await removing(gone('a'), asset('x'));
    stand.api.on('/a', 'c2', answer([back('a')], null));
    await inventory(stand);
    expect(stand.sent).toEqual(['tombstone a', 'upsert x', 'upsert a']);
    expect([stand.table.withdrawals('assets'), stand.table.members('threats')]).toEqual([[], ['a t1', 'a t2', 'b u']]);
  });

  test('an asset restored and removed again in the same walk is withdrawn', async () => {
    const stand = await removing(gone('a'));
    stand.api
      .on('/a', 'c2', answer([back('a')], 'c3'))
      .on('/a', 'c3', answer([tombstone('a', { version: 4, deleted_at: '2026-11-20T09:14:00Z' })], null));
    await inventory(stand);
    expect(stand.sent.slice(-2)).toEqual(['withdrawn t1', 'withdrawn t2']);
    expect(stand.events.at(-1)).toMatchObject({ time: '2026-11-20T09:14:00Z', stream_position: 'p4' });
  });

  test('unseen tombstones: threats of an asset never seen are withdrawn all the same', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[]]).pages('/t', [[threat('t', 'ghost')], []]);
    await inventory(stand);
    stand.later().api.pages('/a', [[tombstone('ghost')]]);
    await inventory(stand);
    expect(stand.sent).toEqual(['withdrawn t']);
  });

  test('a threat that moved to another asset is not withdrawn with its old one, but with its new one', async () => {
    const stand = await removing();
    stand.api.on('/t', 'c1', answer([threat('t1', 'b', { version: 2 })], 'c2')).on('/t', 'c2', answer([], null));
    await inventory(stand);
    stand
      .later()
      .api.on('/a', 'c2', answer([gone('a')], 'c3'))
      .on('/a', 'c3', answer([], null));
    await inventory(stand);
    expect(stand.sent).toEqual(['tombstone a', 'withdrawn t2']);
    stand.later().api.on('/a', 'c3', answer([gone('b')], null));
    await inventory(stand);
    expect(new Set(stand.sent)).toEqual(new Set(['tombstone b', 'withdrawn t1', 'withdrawn u']));
  });

  test('a threat withdrawn with its new asset is not withdrawn again with its old one', async () => {
    const stand = await removing();
    stand.api.on('/t', 'c1', answer([threat('t1', 'b', { version: 2 })], 'c2')).on('/t', 'c2', answer([], null));
    await inventory(stand);
    stand
      .later()
      .api.on('/a', 'c2', answer([gone('b')], 'c3'))
      .on('/a', 'c3', answer([gone('a')], null));
    await inventory(stand);
    const withdrawn = stand.sent.filter(each => each.startsWith('withdrawn'));
    expect(withdrawn.toSorted()).toEqual(['withdrawn t1', 'withdrawn t2', 'withdrawn u']);
  });
});

describe('what comes back after a withdrawal', () => {
  test('counts as new, even as it was and where it was: it is sent under another event_id', async () => {
    const stand = await removing(gone('a'));
    const first = new Map(stand.events.map(({ id, event_id }) => [id, event_id]));
    await inventory(stand);
    stand
      .later()
      .api.on('/a', 'c2', answer([back('a')], null))
      .on('/t', 'c1', answer([threat('t1', 'a')], null));
    await inventory(stand);
    expect(stand.sent).toEqual(['upsert a', 'upsert t1']);
    expect(stand.table.members('threats')).toContain('a t1');
    expect(stand.events[1]!.event_id).not.toBe(first.get('t1'));
  });

  test('is found although the window knows the page: withdrawn rows are forgotten', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a'), threat('u', 'b')]]);
    await inventory(stand);
    const before = stand.events.find(({ id }) => id === 't')!.event_id;
    stand
      .later()
      .api.pages('/a', [[gone('a')]])
      .pages('/t', [[threat('u', 'b')]]);
    await inventory(stand);
    stand
      .later()
      .api.pages('/a', [[back('a')]])
      .pages('/t', [[threat('t', 'a'), threat('u', 'b')]]);
    await inventory(stand);
    expect(stand.sent).toEqual(['upsert a', 'upsert t']);
    expect(stand.events[1]!.event_id).not.toBe(before);
    await inventory(stand.later());
    expect(stand.sent).toEqual([]);
  });

  test('is withdrawn again when its asset is removed again', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a')]]);
    await inventory(stand);
    const ids: string[] = [];
    for (const [version, row] of [gone('a', 2), back('a'), gone('a', 4)].entries()) {
      stand
        .later()
        .api.pages('/a', [[row]])
        .pages('/t', [version === 1 ? [threat('t', 'a')] : []]);
      await inventory(stand);
      ids.push(...stand.events.filter(({ stream }) => stream === 'threats').map(({ kind }) => kind));
    }
    expect(ids).toEqual(['withdrawn', 'upsert', 'withdrawn']);
  });

  test('has another event_id also when the run was killed right after the withdrawal', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')]]).pages('/t', [[threat('t', 'a')]]);
    await inventory(stand);
    const before = stand.events.find(({ id }) => id === 't')!.event_id;
    stand
      .later()
      .api.pages('/a', [[gone('a')]])
      .pages('/t', [[]]);
    stand.journal.fail('threats memberships deleted');
    await inventory(stand);
    expect(stand.sent).toEqual(['tombstone a', 'withdrawn t']);
    stand
      .later()
      .api.pages('/a', [[back('a')]])
      .pages('/t', [[threat('t', 'a')]]);
    await inventory(stand);
    expect(stand.sent).toEqual(['upsert a', 'upsert t']);
    expect(stand.events[1]!.event_id).not.toBe(before);
  });
});

describe('a removal is struck off only by an event after its tombstone', () => {
  /** As a write of an earlier run leaves it that landed late, over the state that said "removed". */
  async function withLateState() {
    const stand = await removing(gone('a'));
    await stand.tick({ only: ['assets'] });
    const late = {
      ...stand.table.state('assets', 'a'),
      removed: false,
      digest: 'of before',
      sequence: '00000000010000000001',
    };
    stand.table.putState('assets', 'a', rowState(late));
    return stand;
  }

  test('a live state of an earlier event, written late, does not keep the threats in the SIEM', async () => {
    const stand = await withLateState();
    await inventory(stand);
    expect(stand.sent).toEqual(['tombstone a', 'withdrawn t1', 'withdrawn t2']);
  });

  test('and is put right, so that the asset is sent when it is restored as it was', async () => {
    const stand = await withLateState();
    await inventory(stand);
    expect(stand.table.state('assets', 'a')).toMatchObject({ removed: true });
    stand.later().api.on('/a', 'c2', answer([back('a')], null));
    await inventory(stand);
    expect(stand.sent).toEqual(['upsert a']);
  });

  test('the tombstone of an asset that was never seen counts as told at the last event before it', async () => {
    const stand = await removing(asset('x'), gone('never-seen'));
    await stand.tick({ only: ['assets'] });
    expect(stand.table.withdrawals('assets')).toMatchObject([
      { id: 'never-seen', sequence: stand.events.at(-1)!.sequence },
    ]);
  });
});
