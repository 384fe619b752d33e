import { expect, test } from '@jest/globals';
import { failureGroups } from '../../../bin/ctl/failures.ts';

test('failures that differ in ids and numbers count as one, and those of other streams or causes do not', () => {
  const line = (time: number, stream: string, message: string) => ({
    time,
    text: JSON.stringify({ level: 'ERROR', stream, error: { name: 'StateError', message } }),
  });
  const groups = failureGroups([
    line(1, 'assets', 'HTTP 500, request 6ce0b0b5-0000-4000-8000-000000000000'),
    line(2, 'assets', 'HTTP 503, request 7ce0b0b5-0000-4000-8000-000000000000'),
    line(3, 'threats', 'HTTP 503, request 7ce0b0b5-0000-4000-8000-000000000000'),
    line(4, 'assets', 'It did not answer'),
  ]);
  expect(groups.map(({ stream, count, first, time }) => [stream, count, first, time])).toEqual([
    ['assets', 1, 4, 4],
    ['threats', 1, 3, 3],
    ['assets', 2, 1, 2],
  ]);
});
