import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { leastSequence, Sequencer, sequenceAt } from '../../lambda/core/sequence.ts';

test('a sequence has twenty digits: the epoch, then a counter that begins at one', () => {
  const reserved = new Sequencer(12).reserve(2);
  expect(sequenceAt(reserved, 1)).toBe('00000000120000000001');
  expect(sequenceAt(reserved, 2)).toBe('00000000120000000002');
});

test('a reservation begins after the previous reservation, whether or not it was used completely', () => {
  const sequencer = new Sequencer(12);
  sequencer.reserve(500);
  const reserved = sequencer.reserve(1);
  expect(sequenceAt(reserved, 0)).toBe('00000000120000000500');
  expect(sequenceAt(reserved, 1)).toBe('00000000120000000501');
});

test('every sequence of a later run is greater than the lowest sequence of an earlier epoch', () => {
  expect(leastSequence(12)).toBe('00000000120000000000');
  expect(sequenceAt(new Sequencer(12).reserve(1), 1) > leastSequence(12)).toBe(true);
  expect(sequenceAt(new Sequencer(11).reserve(1), 1) < leastSequence(12)).toBe(true);
});

test('sequences compared as text order the events within a run and across runs', () => {
  const run = fc.record({
    epoch: fc.nat({ max: 9_999_999_998 }),
    gap: fc.nat({ max: 1000 }),
    count: fc.nat({ max: 30 }),
  });
  fc.assert(
    fc.property(run, ({ epoch, gap, count }) => {
      const [one, other] = [new Sequencer(epoch), new Sequencer(Math.min(epoch + gap + 1, 9_999_999_999))];
      const all = [
        ...Array.from({ length: count + 1 }, () => sequenceAt(one.reserve(1), 1)),
        sequenceAt(other.reserve(1), 1),
      ];
      expect(all.toSorted()).toEqual(all);
      expect(new Set(all.map(each => each.length))).toEqual(new Set([20]));
    }),
  );
});
