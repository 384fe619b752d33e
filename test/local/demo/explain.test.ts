import { describe, expect, test } from '@jest/globals';
import { explainRow, type RowParts } from '../../../local/demo/explain.ts';
import type { ReadEvent } from '../../../local/demo/siem.ts';

function event(sequence: string, more: Partial<ReadEvent> = {}): ReadEvent {
  const fixed = { kind: 'upsert', stream: 'assets', id: 'a', connector: 'acme', forwarded_at: 't' };
  return { ...fixed, event_id: `id ${sequence}`, sequence, object: 'events/x', readAt: 5, row: '{}', ...more };
}

const PARTS: RowParts = {
  stream: 'assets',
  id: 'a',
  versions: [{ change: 'new', row: '{}', at: 0 }],
  events: [event('1'), event('3'), event('2')],
  hasRowStates: true,
  state: undefined,
  difference: undefined,
};

describe('a row', () => {
  test('has as its current event the one with the greatest sequence, in whatever order events arrived', () => {
    expect(explainRow(PARTS)!.events.map(({ isHeld }) => isHeld)).toEqual([false, true, false]);
  });

  test('marks the event that repeats another', () => {
    const events = [event('1'), event('2', { event_id: 'id 1' })];
    expect(explainRow({ ...PARTS, events })!.events.map(({ isRepeat }) => isRepeat)).toEqual([false, true]);
  });

  test.each([
    [undefined, 'new', 'The SIEM has it, to the last digit.'],
    [undefined, 'removed', 'It is gone, and the SIEM knows.'],
    ['missing', 'new', 'It was restored, and the SIEM does not know yet.'],
    ['different', 'changed', 'The SIEM has an older version.'],
    ['extra', 'removed', 'It is gone, and the SIEM still has it.'],
  ] as const)('that is %s and %s says so in a sentence', (difference, change, sentence) => {
    const versions = [{ change, row: undefined, at: 1 }];
    expect(explainRow({ ...PARTS, versions, difference })!.summary).toBe(sentence);
  });

  test('names the reason when the connector keeps no state of it', () => {
    expect(explainRow({ ...PARTS, hasRowStates: false })!.noState).toContain('never change');
    expect(explainRow(PARTS)!.noState).toContain('no event of this row was sent');
  });

  test('that is unknown is not explained', () => {
    expect(explainRow({ ...PARTS, versions: [], events: [] })).toBeUndefined();
  });
});
