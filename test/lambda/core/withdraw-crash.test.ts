/** Withdrawals through kills, spent time budgets and damage. */
import { describe, expect, test } from '@jest/globals';
import { StateDamagedError } from '../../../lambda/core/errors.ts';
import { Harness } from './support/harness.ts';
import { rowState } from './support/memory-table.ts';
import { back, gone, inventory, removing } from './support/removal.ts';
import { answer, asset, threat } from './support/rows.ts';

const PIECE = 500;

describe('withdrawals survive crashes and time budgets', () => {
  test.each(['threats states', 'threats delivery', 'threats children deleted', 'assets struck a'])(
    'killed at "%s": the next run works the rest off, and repeats bear the same event_id',
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

  test('an asset of many threats is worked off in pieces, over runs, each threat once', async () => {
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

  test('a threat sent just before a crash is withdrawn although no state says that it was', async () => {
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

  test('a move sent just before a crash is withdrawn with the new asset', async () => {
    const harness = await removing();
    harness.api.on('/t', 'c1', answer([threat('t1', 'b', { version: 2 })], 'c2')).on('/t', 'c2', answer([], null));
    harness.journal.fail('threats states');
    await inventory(harness);
    harness
      .later()
      .api.on('/a', 'c2', answer([gone('b')], null))
      .on('/t', 'c1', answer([], null));
    await inventory(harness);
    expect(harness.sent.toSorted()).toEqual(['tombstone b', 'withdrawn t1', 'withdrawn u']);
  });

  test('the list waits for the end of the asset walk', async () => {
    const harness = await removing(gone('a'));
    let pages = 0;
    await harness.run({ only: ['assets', 'threats'], outOfTime: () => pages++ > 0 });
    expect(harness.sent).toEqual(['tombstone a']);
    harness.api.on('/a', 'c2', answer([back('a')], null));
    await inventory(harness.later());
    expect(harness.sent).toEqual(['upsert a']);
  });

  test('damaged state of a threat to withdraw: fails the threats, unless a resync is mending them', async () => {
    const harness = await removing(gone('a'));
    harness.table.putState('threats', 't1', new StateDamagedError('A row state', 'threats', 'its seal is broken'));
    const { failures } = await inventory(harness);
    expect([...failures].map(([stream, error]) => [stream, error.name])).toEqual([['threats', 'StateDamagedError']]);
    harness.later().api.pages('/t', [[threat('u', 'b')], []]);
    await harness.run({ only: ['assets', 'threats'], resync: ['threats'] });
    expect(harness.sent.toSorted()).toEqual(['withdrawn t1', 'withdrawn t2']);
  });
});
