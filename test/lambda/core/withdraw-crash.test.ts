/** Withdrawals through kills, spent time budgets and damage. */
import { describe, expect, test } from '@jest/globals';
import { StateDamagedError } from '../../../lambda/core/errors.ts';
import { rowState } from './support/memory-table.ts';
import { back, gone, inventory, removing } from './support/removal.ts';
import { answer, asset, threat } from './support/rows.ts';
import { Stand } from './support/stand.ts';

const PIECE = 500;

describe('withdrawals survive crashes and time budgets', () => {
  test.each(['threats states', 'threats delivery', 'threats memberships deleted', 'assets struck a'])(
    'killed at "%s": the next run works the rest off, and repeats bear the same event_id',
    async step => {
      const stand = await removing(gone('a'));
      stand.journal.fail(step);
      const { failures, interrupted } = await inventory(stand);
      expect([[...failures.keys()], interrupted]).toEqual([['threats'], true]);
      expect(stand.table.withdrawals('assets').map(({ id }) => id)).toEqual(['a']);
      stand.journal.clear();
      await inventory(stand);
      const eventIds = new Map<string, Set<string>>();
      for (const { kind, id, event_id } of stand.events) {
        if (kind === 'withdrawn') eventIds.set(id, (eventIds.get(id) ?? new Set()).add(event_id));
      }
      expect([...eventIds].map(([id, each]) => [id, each.size])).toEqual([
        ['t1', 1],
        ['t2', 1],
      ]);
      expect([stand.table.withdrawals('assets'), stand.table.members('threats')]).toEqual([[], ['b u']]);
    },
  );

  test('an asset of many threats is worked off in pieces, over runs, each threat once', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], []]).pages('/t', [[]]);
    await inventory(stand);
    const ids = Array.from({ length: 2 * PIECE + 7 }, (_, index) => `t${index}`);
    for (const id of ids) {
      stand.table.putState('threats', id, rowState({ owner: 'a' }));
      stand.table.putMembership('threats', { owner: 'a', id, sequence: '00000000010000000001' });
    }
    stand.later().api.on('/a', 'c1', answer([gone('a')], null));
    const outOfTime = () => stand.lines.length > PIECE;
    const { results } = await stand.tick({ only: ['assets', 'threats'], outOfTime });
    expect([results.get('threats')!.withdrawn, results.get('threats')!.caughtUp]).toEqual([PIECE, false]);
    expect([stand.table.withdrawals('assets').length, stand.api.sent('/t')]).toEqual([1, []]);
    await inventory(stand);
    const withdrawn = stand.events.filter(({ kind }) => kind === 'withdrawn').map(({ id }) => id);
    expect(withdrawn.toSorted()).toEqual(ids.toSorted());
    expect([stand.table.withdrawals('assets'), stand.table.members('threats')]).toEqual([[], []]);
  });

  test('a threat sent just before a crash is withdrawn although no state says that it was', async () => {
    const stand = new Stand();
    stand.api.pages('/a', [[asset('a')], []]).pages('/t', [[threat('t', 'a')], []]);
    stand.journal.fail('threats states');
    await inventory(stand);
    stand
      .later()
      .api.on('/a', 'c1', answer([gone('a')], null))
      .pages('/t', [[]]);
    await inventory(stand);
    expect(stand.sent).toEqual(['tombstone a', 'withdrawn t']);
  });

  test('a move sent just before a crash is withdrawn with the new asset', async () => {
    const stand = await removing();
    stand.api.on('/t', 'c1', answer([threat('t1', 'b', { version: 2 })], 'c2')).on('/t', 'c2', answer([], null));
    stand.journal.fail('threats states');
    await inventory(stand);
    stand
      .later()
      .api.on('/a', 'c2', answer([gone('b')], null))
      .on('/t', 'c1', answer([], null));
    await inventory(stand);
    expect(stand.sent.toSorted()).toEqual(['tombstone b', 'withdrawn t1', 'withdrawn u']);
  });

  test('the list waits for the end of the asset walk', async () => {
    const stand = await removing(gone('a'));
    let pages = 0;
    await stand.tick({ only: ['assets', 'threats'], outOfTime: () => pages++ > 0 });
    expect(stand.sent).toEqual(['tombstone a']);
    stand.api.on('/a', 'c2', answer([back('a')], null));
    await inventory(stand.later());
    expect(stand.sent).toEqual(['upsert a']);
  });

  test('damaged state of a threat to withdraw: fails the threats, unless a resync is mending them', async () => {
    const stand = await removing(gone('a'));
    stand.table.putState('threats', 't1', new StateDamagedError('A row state', 'threats', 'its seal is broken'));
    const { failures } = await inventory(stand);
    expect([...failures].map(([stream, error]) => [stream, error.name])).toEqual([['threats', 'StateDamagedError']]);
    stand.later().api.pages('/t', [[threat('u', 'b')], []]);
    await stand.tick({ only: ['assets', 'threats'], resync: ['threats'] });
    expect(stand.sent.toSorted()).toEqual(['withdrawn t1', 'withdrawn t2']);
  });
});
