/** The order in which a batch is written, and what a failure at each step leaves. */
import { describe, expect, test } from '@jest/globals';
import type { Batch } from '../../lambda/core/batch.ts';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import { commitBatch } from '../../lambda/core/commit.ts';
import { rowLine } from '../../lambda/core/event.ts';
import { packRecords } from '../../lambda/core/records.ts';
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
  test('each step of a batch ends before the next step begins', async () => {
    const harness = new Harness();
    harness.journal.hook = async step => {
      await new Promise(setImmediate);
      expect(harness.journal.begun.at(-1)).toBe(step);
    };
    expect(await commitBatch(FULL, INITIAL_CHECKPOINT, harness.streamRun('threats'))).toEqual(CHECKPOINT);
    expect(harness.journal.done).toEqual(STEPS);
  });

  test.each(STEPS)('a failure of the step "%s" prevents all later steps of the batch', async step => {
    const harness = new Harness();
    harness.journal.fail(step);
    await expect(commitBatch(FULL, INITIAL_CHECKPOINT, harness.streamRun('threats'))).rejects.toThrow(
      `fault at ${step}`,
    );
    expect(harness.journal.begun).toEqual(STEPS.slice(0, STEPS.indexOf(step) + 1));
  });

  test('a batch without changes writes nothing when the checkpoint stays the same', async () => {
    const harness = new Harness();
    const before = structuredClone(CHECKPOINT);
    expect(await commitBatch(EMPTY, before, harness.streamRun('threats'))).toBe(before);
    expect(harness.journal.begun).toEqual([]);
  });

  test('a batch without changes writes only the checkpoint when the cursor has moved', async () => {
    const harness = new Harness();
    await commitBatch(EMPTY, INITIAL_CHECKPOINT, harness.streamRun('threats'));
    expect(harness.journal.done).toEqual(['threats checkpoint']);
  });

  test('a batch of DNS blocks has no log, because reading the page again gives the same events', async () => {
    const harness = new Harness();
    const event = { row: rowOf(dnsBlock('d'), DNS_BLOCKS), stream: DNS_BLOCKS, sequence: SEQUENCE };
    const batch = { ...EMPTY, records: packRecords([rowLine(event, CONTEXT)]) };
    await commitBatch(batch, INITIAL_CHECKPOINT, harness.streamRun('dns-blocks'));
    expect(harness.journal.done).toEqual(['dns-blocks delivery', 'dns-blocks checkpoint']);
  });

  test('events are counted only after Firehose has acknowledged them', async () => {
    const harness = new Harness();
    const before = harness.streamRun('threats');
    harness.journal.fail('threats delivery');
    await commitBatch(FULL, INITIAL_CHECKPOINT, before).catch(() => undefined);
    const after = harness.streamRun('threats');
    harness.journal.fail('threats states');
    await commitBatch(FULL, INITIAL_CHECKPOINT, after).catch(() => undefined);
    expect(before.result.forwarded).toBe(0);
    expect(after.result.forwarded).toBe(1);
  });
});
