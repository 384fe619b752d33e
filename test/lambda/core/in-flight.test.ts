import { describe, expect, test } from '@jest/globals';
import { idTag } from '../../../lambda/core/hashes.ts';
import { Intents } from '../../../lambda/core/in-flight.ts';

const at = (count: number) => `000000000100000000${String(count).padStart(2, '0')}`;
const batch = (sequence: string, ...ids: string[]) => ({ sequence, idTags: ids.map(idTag) });

describe('the in-flight note', () => {
  test('ids of a page whose checkpoint was never saved are in doubt', () => {
    const intents = new Intents([batch(at(5), 'a', 'b')], at(4));
    expect(['a', 'b', 'c'].map(id => intents.isUnconfirmed(id))).toEqual([true, true, false]);
  });

  test('a checkpoint settles every batch up to its sequence', () => {
    const intents = new Intents([batch(at(3), 'a'), batch(at(5), 'b'), batch(at(6), 'c')], at(5));
    expect(['a', 'b', 'c'].map(id => intents.isUnconfirmed(id))).toEqual([false, false, true]);
  });

  test('a batch without a sequence is in doubt until it is resolved, whatever was settled', () => {
    expect(new Intents([batch('', 'a')], at(99)).isUnconfirmed('a')).toBe(true);
  });

  test('what this run opens is saved before it is sent, and is no doubt of its own', () => {
    const intents = new Intents([], '');
    intents.open(['a'], at(1));
    expect(intents.toSave()).toEqual([batch(at(1), 'a')]);
    expect(intents.isUnconfirmed('a')).toBe(false);
  });

  test('doubts of an earlier run are carried along until their ids are sent again, then settled with their page', () => {
    const intents = new Intents([batch(at(1), 'a', 'b')], '');
    const opened = intents.open(['a'], at(7));
    expect(intents.toSave()).toEqual([batch('', 'b'), batch(at(7), 'a')]);
    intents.settle(opened);
    expect(intents.toSave()).toEqual([batch('', 'b')]);
    expect(intents.isUnconfirmed('a')).toBe(false);
  });

  test('settling one page leaves the next one noted', () => {
    const intents = new Intents([], '');
    const first = intents.open(['a'], at(1));
    intents.open(['b'], at(2));
    intents.settle(first);
    expect(intents.toSave()).toEqual([batch(at(2), 'b')]);
  });
});
