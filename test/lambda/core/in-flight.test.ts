import { describe, expect, test } from '@jest/globals';
import { idTag } from '../../../lambda/core/id-tag.ts';
import { InFlight } from '../../../lambda/core/in-flight.ts';

const at = (count: number) => `000000000100000000${String(count).padStart(2, '0')}`;
const batch = (sequence: string, ...ids: string[]) => ({ sequence, tags: ids.map(idTag) });

describe('the in-flight note', () => {
  test('ids of a page whose checkpoint was never saved are in doubt', () => {
    const inFlight = new InFlight([batch(at(5), 'a', 'b')], at(4));
    expect(['a', 'b', 'c'].map(id => inFlight.doubts(id))).toEqual([true, true, false]);
  });

  test('a checkpoint settles every batch up to its sequence', () => {
    const inFlight = new InFlight([batch(at(3), 'a'), batch(at(5), 'b'), batch(at(6), 'c')], at(5));
    expect(['a', 'b', 'c'].map(id => inFlight.doubts(id))).toEqual([false, false, true]);
  });

  test('a batch without a sequence is in doubt until it is resolved, whatever was settled', () => {
    expect(new InFlight([batch('', 'a')], at(99)).doubts('a')).toBe(true);
  });

  test('what this run opens is saved before it is sent, and is no doubt of its own', () => {
    const inFlight = new InFlight([], '');
    inFlight.open(['a'], at(1));
    expect(inFlight.toSave()).toEqual([batch(at(1), 'a')]);
    expect(inFlight.doubts('a')).toBe(false);
  });

  test('doubts of an earlier run are carried along until their ids are sent again, then settled with their page', () => {
    const inFlight = new InFlight([batch(at(1), 'a', 'b')], '');
    const opened = inFlight.open(['a'], at(7));
    expect(inFlight.toSave()).toEqual([batch('', 'b'), batch(at(7), 'a')]);
    inFlight.settle(opened);
    expect(inFlight.toSave()).toEqual([batch('', 'b')]);
    expect(inFlight.doubts('a')).toBe(false);
  });

  test('settling one page leaves the next one noted', () => {
    const inFlight = new InFlight([], '');
    const first = inFlight.open(['a'], at(1));
    inFlight.open(['b'], at(2));
    inFlight.settle(first);
    expect(inFlight.toSave()).toEqual([batch(at(2), 'b')]);
  });
});
