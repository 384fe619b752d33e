import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Batch, decodeBatch, encodeBatch, isEmptyBatch } from '../../lambda/core/batch.ts';
import { INITIAL_CHECKPOINT } from '../../lambda/core/checkpoint.ts';
import { StateVersionError } from '../../lambda/core/errors.ts';
import { packRecords } from '../../lambda/core/records.ts';
import type { ListedRemoval, RowState } from '../../lambda/ports.ts';
import { anyCharacter } from '../support/any-character.ts';
import { EMPTY_BATCH } from '../support/core/batch.ts';
import { rowState } from '../support/core/memory-table.ts';

const TABLE = 'table';

const EMPTY: Batch = {
  ...EMPTY_BATCH,
  checkpoint: { ...INITIAL_CHECKPOINT, committed: '00000000010000000001' },
  sent: { forwarded: 1 },
};

const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('\ud800', '__proto__', '\n', '{"a":1}\n'));
const perhaps = fc.option(text, { nil: undefined });
const child = fc.record({ parent: text, id: text });
const removal: fc.Arbitrary<ListedRemoval> = fc.record({
  id: text,
  sequence: text,
  deletedAt: perhaps,
  position: perhaps,
  isRestored: fc.boolean(),
});
const state: fc.Arbitrary<RowState> = fc.record({ parent: perhaps }).map(change => rowState(change));
const batch: fc.Arbitrary<Batch> = fc.record({
  records: fc.array(text.map(line => line.replaceAll('\n', ' '))).map(packRecords),
  deadLetters: fc.constant([]),
  states: fc.array(fc.tuple(text, state)).map(entries => new Map(entries)),
  children: fc.array(child),
  childrenDone: fc.array(child),
  removals: fc.array(removal),
  removalsDone: fc.array(fc.record({ id: text, sequence: text })),
  checkpoint: fc.record({ cursor: perhaps }).map(change => ({ ...INITIAL_CHECKPOINT, ...change })),
  sent: fc.record({ forwarded: fc.nat() }),
});
const ofRecords = ({ records, ...rest }: Batch) => ({ ...rest, records: records.map(one => Buffer.from(one)) });

test('a logged batch that is read back equals the original, whatever its ids and rows contain', () => {
  fc.assert(
    fc.property(
      batch,
      one => void expect(ofRecords(decodeBatch(encodeBatch(one, TABLE), TABLE)!)).toEqual(ofRecords(one)),
    ),
  );
});

test('the log of a batch does not hold its dead letters, because they are stored earlier', () => {
  const deadLetters = [{ stream: 'assets', reason: 'no-id', row: 'canary', rowHash: 'd1' }] as const;
  const log = encodeBatch({ ...EMPTY, deadLetters }, TABLE);
  expect(Buffer.from(log).toString()).not.toContain('canary');
  expect(decodeBatch(log, TABLE)).toEqual(EMPTY);
});

test('a log of another format is refused, so that it is never misread', () => {
  const log = Buffer.from(encodeBatch(EMPTY, TABLE)).toString().replace('"format":1', '"format":2');
  expect(() => decodeBatch(Buffer.from(log), TABLE)).toThrow(StateVersionError);
});

test.each<[string, Partial<Batch>]>([
  ['an event', { records: packRecords(['{}']) }],
  ['a dead letter', { deadLetters: [{ stream: 'assets', reason: 'no-id', row: '', rowHash: '' }] }],
  ['a row state', { states: new Map([['a', rowState()]]) }],
  ['a child', { children: [{ parent: 'a', id: 't' }] }],
  ['a withdrawn child', { childrenDone: [{ parent: 'a', id: 't' }] }],
  [
    'a removal',
    { removals: [{ id: 'a', sequence: '1', deletedAt: undefined, position: undefined, isRestored: false }] },
  ],
  ['a processed removal', { removalsDone: [{ id: 'a', sequence: '1' }] }],
])('a batch that has only %s is not empty', (_what, change) => {
  expect(isEmptyBatch(EMPTY)).toBe(true);
  expect(isEmptyBatch({ ...EMPTY, ...change })).toBe(false);
});

test('a log that belongs to another table is not read', () => {
  expect(decodeBatch(encodeBatch(EMPTY, 'other'), TABLE)).toBeUndefined();
});
