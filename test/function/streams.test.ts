import { describe, expect, test } from '@jest/globals';
import { STREAMS, type Stream, streamProblems } from '../../lambda/streams.ts';

const [ASSETS, THREATS, DNS_BLOCKS]: readonly Stream[] = STREAMS;

test('the table of streams is one that the connector can work by', () => {
  expect(streamProblems(STREAMS)).toEqual([]);
});

describe('the check of the table refuses', () => {
  test.each<[string, readonly Stream[], RegExp]>([
    [
      'a second stream that cascades, whose withdrawals would get lost',
      [...STREAMS, { ...THREATS!, name: 'users' }],
      /threats and users cascade .* rows of the second would never be withdrawn/,
    ],
    ['two streams of one name', [...STREAMS, DNS_BLOCKS!], /Two streams are named dns-blocks/],
    ['a stream that is read before the one that it cascades from', [THREATS!, ASSETS!], /would be read first/],
    ['a parent in another group', [{ ...ASSETS!, group: 'a' }, THREATS!], /would be read first/],
    ['a parent without tombstones', [{ ...ASSETS!, tombstones: false }, THREATS!], /nothing is ever withdrawn/],
    ['a child without row states', [ASSETS!, { ...THREATS!, hasRowStates: false }], /need row states/],
    ['a stream with neither path nor option', [{ ...ASSETS!, path: undefined } as unknown as Stream], /either a path/],
    ['a member for the time that an option could name too', [{ ...ASSETS!, timeMember: 'seen' }], /ROW_MEMBERS/],
  ])('%s', (_, streams, reason) => {
    expect(streamProblems(streams)).toEqual([expect.stringMatching(reason)]);
  });
});
