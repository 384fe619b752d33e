import { expect, test } from '@jest/globals';
import { groupFailures } from '../../../bin/ctl/failures.ts';

test('failures of a stream that differ only in ids and numbers count as one failure', () => {
  const line = (time: number, stream: string, message: string) => ({
    time,
    text: JSON.stringify({ level: 'ERROR', stream, error: { name: 'StateError', message } }),
  });
  const groups = groupFailures([
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

const invokeError = (errorType: string) =>
  `…\tERROR\tInvoke Error \t${JSON.stringify({ errorType, errorMessage: 'X is missing.', stack: [] })}`;

test.each([
  ['a run that cannot start', invokeError('SettingsError'), ['SettingsError', 'X is missing.']],
  [
    'a run at its time-out',
    '2026-11-20T12:15:00Z 5a1c2d3e Task timed out after 900.00 seconds',
    ['Lambda', 'Task timed out after 900.00 seconds'],
  ],
  [
    'a killed run',
    'RequestId: 5a1c2d3e Error: Runtime exited with error: signal: killed',
    ['Lambda', 'Runtime exited with error: signal: killed'],
  ],
])('the log shows %s as a failure of the run and names the runbook', (_, text, [error, what]) => {
  const advice = 'Nothing is lost: the next run continues. See docs/runbook.md#function-errors.';
  expect(groupFailures([{ time: 1, text }])).toMatchObject([{ stream: undefined, error, what, advice }]);
});

test.each([
  ['streams that failed, each of which has a line', invokeError('StreamsFailedError')],
  ['the report of Lambda', 'REPORT RequestId: 5a1c2d3e Duration: 3.00 ms Status: error'],
])('a log line about %s does not count as another failure', (_, text) => {
  expect(groupFailures([{ time: 1, text }])).toEqual([]);
});
