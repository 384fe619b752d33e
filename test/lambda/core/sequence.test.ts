import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Sequencer } from '../../../lambda/core/sequence.ts';

test('twenty digits: the epoch, then a counter from one', () => {
  const sequencer = new Sequencer(12);
  expect([sequencer.next(), sequencer.next()]).toEqual(['00000000120000000001', '00000000120000000002']);
});

test('compared as text, every event of a later run is newer, and within a run every later event', () => {
  const run = fc.record({
    epoch: fc.nat({ max: 9_999_999_998 }),
    gap: fc.nat({ max: 1000 }),
    count: fc.nat({ max: 30 }),
  });
  fc.assert(
    fc.property(run, ({ epoch, gap, count }) => {
      const [one, other] = [new Sequencer(epoch), new Sequencer(Math.min(epoch + gap + 1, 9_999_999_999))];
      const all = [...Array.from({ length: count + 1 }, () => one.next()), other.next()];
      expect(all.toSorted()).toEqual(all);
      expect(new Set(all.map(each => each.length))).toEqual(new Set([20]));
    }),
  );
});
