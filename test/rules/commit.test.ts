/** The order in which a batch is written, and what a failure at each step leaves. */
import { describe, expect, test } from '@jest/globals';
import type { Batch } from '../../lambda/core/batch.ts';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import { commit, redo } from '../../lambda/core/commit.ts';
import { LogMissingError } from '../../lambda/core/errors.ts';
import { rowLine } from '../../lambda/core/event.ts';
import { packRecords } from '../../lambda/core/records.ts';
import type { Fence } from '../../lambda/ports.ts';
import { EMPTY_BATCH } from '../support/core/batch.ts';
import { Harness } from '../support/core/harness.ts';
import { rowState } from '../support/core/memory-table.ts';
import { dnsBlock, threat } from '../support/core/rows.ts';
import { CONTEXT, DNS_BLOCKS, rowOf, THREATS } from '../support/core/streams.ts';

const SEQUENCE = '00000000010000000001';
const CHECKPOINT = { ...INITIAL_CHECKPOINT, cursor: 'c1', committed: SEQUENCE };
const LINE = rowLine({ row: rowOf(threat('t', 'a'), THREATS), stream: THREATS, sequence: SEQUENCE }, CONTEXT);
const EMPTY: Batch = { ...EMPTY_BATCH, checkpoint: CHECKPOINT };
/** A batch that needs every step. */
const FULL: Batch = {
  records: packRecords([LINE]),
  deadLetters: [{ stream: 'threats', reason: 'no-id', row: '{}', rowHash: 'd1' }],
  states: new Map([['t', rowState({ parent: 'a' })]]),
  children: [{ parent: 'a', id: 't' }],
  childrenDone: [{ parent: 'b', id: 'u' }],
  removals: [{ id: 't', sequence: SEQUENCE, deletedAt: undefined, position: undefined, isRestored: false }],
  removalsDone: [{ id: 'b', sequence: '1' }],
  checkpoint: CHECKPOINT,
  sent: { forwarded: 1 },
};
const STEPS = [
  'threats dead-letter',
  'threats log',
  'threats log-name',
  'threats delivery',
  'threats removals',
  'threats children',
  'threats states',
  'threats children deleted',
  'assets removals deleted b',
  'threats checkpoint',
];

describe('the steps of a batch', () => {
  test('each step is awaited before the next one begins', async () => {
    const harness = new Harness();
    harness.journal.hook = async step => {
      await new Promise(setImmediate);
      expect(harness.journal.begun.at(-1)).toBe(step);
    };
    expect(await commit(FULL, INITIAL_CHECKPOINT, harness.streamRun('threats'))).toEqual(CHECKPOINT);
    expect(harness.journal.done).toEqual(STEPS);
  });

  test.each(STEPS)('when the step "%s" fails, nothing after it is begun', async step => {
    const harness = new Harness();
    harness.journal.fail(step);
    await expect(commit(FULL, INITIAL_CHECKPOINT, harness.streamRun('threats'))).rejects.toThrow(`fault at ${step}`);
    expect(harness.journal.begun).toEqual(STEPS.slice(0, STEPS.indexOf(step) + 1));
  });

  test('a batch that does nothing and moves no checkpoint writes nothing', async () => {
    const harness = new Harness();
    const before = structuredClone(CHECKPOINT);
    expect(await commit(EMPTY, before, harness.streamRun('threats'))).toBe(before);
    expect(harness.journal.begun).toEqual([]);
  });

  test('a batch that does nothing but move the checkpoint writes only the checkpoint', async () => {
    const harness = new Harness();
    await commit(EMPTY, INITIAL_CHECKPOINT, harness.streamRun('threats'));
    expect(harness.journal.done).toEqual(['threats checkpoint']);
  });

  test('a batch of DNS blocks has no log, because read again it becomes the same events', async () => {
    const harness = new Harness();
    const event = { row: rowOf(dnsBlock('d'), DNS_BLOCKS), stream: DNS_BLOCKS, sequence: SEQUENCE };
    const batch = { ...EMPTY, records: packRecords([rowLine(event, CONTEXT)]) };
    await commit(batch, INITIAL_CHECKPOINT, harness.streamRun('dns-blocks'));
    expect(harness.journal.done).toEqual(['dns-blocks delivery', 'dns-blocks checkpoint']);
  });

  test('events are counted once they are acknowledged', async () => {
    const harness = new Harness();
    const before = harness.streamRun('threats');
    harness.journal.fail('threats delivery');
    await commit(FULL, INITIAL_CHECKPOINT, before).catch(() => undefined);
    const after = harness.streamRun('threats');
    harness.journal.fail('threats states');
    await commit(FULL, INITIAL_CHECKPOINT, after).catch(() => undefined);
    expect([before.result.forwarded, after.result.forwarded]).toEqual([0, 1]);
  });

  test('the name of the log and the checkpoint are written under fences that rise', async () => {
    const harness = new Harness();
    const fences: Fence[] = [];
    const checkpoints = {
      ...harness.ports.checkpoints,
      saveLog: async (...[, , fence]: [unknown, unknown, Fence]) => void fences.push(fence),
      save: async (...[, , fence]: [unknown, unknown, Fence]) => void fences.push(fence),
    };
    const streamRun = harness.streamRun('threats', { checkpoints });
    await commit(FULL, INITIAL_CHECKPOINT, streamRun);
    const { epoch } = streamRun.run.lease;
    expect(fences).toEqual([
      { epoch, write: 1 },
      { epoch, write: 2 },
    ]);
  });
});

describe('a batch that is done again', () => {
  test.each(STEPS.slice(3))('after a kill at "%s" the batch is done again as it stands', async step => {
    const harness = new Harness();
    harness.table.putChild('threats', { parent: 'b', id: 'u' });
    harness.table.putRemoval('assets', {
      id: 'b',
      sequence: '1',
      deletedAt: undefined,
      position: undefined,
      isRestored: false,
    });
    harness.journal.fail(step);
    await commit(FULL, INITIAL_CHECKPOINT, harness.streamRun('threats')).catch(() => undefined);
    harness.later().clock.advance(60_000);

    const streamRun = harness.streamRun('threats');
    expect(await redo(harness.table.logNames.get('threats')!, streamRun)).toEqual(CHECKPOINT);
    // The dead letter is stored, and the log is written.
    expect(harness.journal.done).toEqual(STEPS.slice(3));
    expect(harness.lines).toEqual([LINE]);
    expect(harness.table.checkpoint('threats')).toEqual(CHECKPOINT);
    expect([harness.table.state('threats', 't'), harness.table.children('threats')]).toEqual([
      FULL.states.get('t'),
      ['a t'],
    ]);
    expect([harness.table.removals('threats'), harness.table.removals('assets')]).toEqual([FULL.removals, []]);
    expect([streamRun.result.forwarded, streamRun.logs.earlier]).toEqual([1, [`log/threats/${SEQUENCE}`]]);
  });

  test('a log whose object is missing fails the stream before anything is sent', async () => {
    const harness = new Harness();
    const gone = redo({ sequence: SEQUENCE, key: 'log/threats/gone', earlier: [] }, harness.streamRun('threats'));
    await expect(gone).rejects.toThrow(LogMissingError);
    expect(harness.journal.begun).toEqual([]);
  });
});
