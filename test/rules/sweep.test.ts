import { describe, expect, test } from '@jest/globals';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import { sweep } from '../../lambda/core/sweep.ts';
import type { Checkpoint, SecondWalk } from '../../lambda/ports.ts';
import { Harness } from '../support/core/harness.ts';
import { rowState } from '../support/core/memory-table.ts';

const SECOND: SecondWalk = {
  mode: 'differences',
  phase: 'sweep',
  rows: 1,
  notBefore: 0,
  most: 500,
  withdrawn: { own: 0, children: 0 },
};
const BEFORE: Checkpoint = { ...INITIAL_CHECKPOINT, generation: 7, counts: { existing: 9, listed: 5 }, second: SECOND };

/** Rows in the table, as `<id>` of generation 6, which no pass has listed. */
function having(stream: 'assets' | 'threats', ...ids: string[]): Harness {
  const harness = new Harness();
  for (const id of ids)
    harness.table.putState(stream, id, rowState({ generation: 6, parent: stream === 'threats' ? 'a' : undefined }));
  return harness;
}

describe('the sweep', () => {
  test('rows that were not listed are withdrawn, and withdrawn assets are listed to withdraw their threats', async () => {
    const harness = having('assets', 'a', 'b');
    harness.table.putState('assets', 'listed', rowState({ generation: 7 }));
    harness.table.putState('assets', 'filtered', rowState({ generation: 6, status: 'filtered', rowHash: '' }));
    harness.table.putState('assets', 'removed', rowState({ generation: 6, status: 'removed' }));
    const after = await sweep(BEFORE, undefined, harness.streamRun('assets'), () => false);
    expect(harness.sent).toEqual(['withdrawn a', 'withdrawn b']);
    expect(harness.table.state('assets', 'filtered')).toMatchObject({ status: 'removed' });
    expect(harness.table.removals('assets').map(({ id }) => id)).toEqual(['a', 'b', 'filtered']);
    expect(after).toEqual({
      ...BEFORE,
      committed: after.committed,
      counts: { existing: 5, listed: 5 },
      second: undefined,
    });
  });

  test('the guard counts the threats of swept assets before any row is withdrawn', async () => {
    const harness = having('assets', 'a');
    for (let index = 0; index < 30; index++) harness.table.putChild('threats', { parent: 'a', id: `t${index}` });
    const after = await sweep(BEFORE, { existing: 58, listed: 0 }, harness.streamRun('assets'), () => false);
    expect(harness.sent).toEqual([]);
    expect(after.second?.waiting).toEqual({ reason: 'not-listed', own: 1, children: 30 });
    const whole = await sweep(BEFORE, { existing: 60, listed: 0 }, harness.streamRun('assets'), () => false);
    expect(harness.sent).toEqual(['withdrawn a']);
    expect(whole.second).toBeUndefined();
  });

  test('a batch of the sweep has at most 500 rows, after which the guard can stop the sweep', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => `t${index}`);
    const harness = having('threats', ...ids);
    harness.table.scanPage = 2_000;
    const before = { ...BEFORE, second: { ...SECOND, most: 1_000 } };
    const after = await sweep(before, undefined, harness.streamRun('threats'), () => false);
    expect(harness.journal.done.filter(step => step === 'threats delivery')).toHaveLength(2);
    expect(after.second).toMatchObject({ withdrawn: { own: 1_000 }, waiting: { own: 1 } });
  });

  test('the sweep empties the window, because a row that returns unchanged must count as new', async () => {
    const harness = having('threats', 't');
    const after = await sweep({ ...BEFORE, window: ['w'] }, undefined, harness.streamRun('threats'), () => false);
    expect(after.window).toEqual([]);
  });
});
