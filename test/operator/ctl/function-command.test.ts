import { describe, expect, test } from '@jest/globals';
import type { Context } from '../../../bin/ctl/context.ts';
import { RefusedError } from '../../../bin/ctl/errors.ts';
import { resultText } from '../../../bin/ctl/function-command.ts';
import { invokeWhenFree } from '../../../bin/ctl/invoke.ts';
import { EMPTY_RESULT } from '../../../lambda/core/run.ts';
import { steppedClock } from '../../support/function/stepped-clock.ts';

test('a command that the function rejects is reported as refused, with nothing done', async () => {
  const said = { errorType: 'CommandError', errorMessage: 'replay.0 must be one of assets, threats' };
  const answer = { FunctionError: 'Unhandled', Payload: { transformToString: () => JSON.stringify(said) } };
  const context = {
    aws: { invoker: () => ({ send: async () => answer }) },
    clock: steppedClock(),
    report: { say: () => undefined },
    deployment: async () => ({ functionName: 'f' }),
  } as unknown as Context;
  const refused = invokeWhenFree(context, { replay: ['dns-blocks'] }, 0);
  await expect(refused).rejects.toThrow(RefusedError);
  await expect(refused).rejects.toThrow(said.errorMessage);
});

describe('the result of a run', () => {
  const result = {
    ...EMPTY_RESULT,
    pages: 2,
    rows: 100,
    forwarded: 41,
    oversize: 1,
    duplicates: 20,
    superseded: 3,
    unknownTombstones: 4,
    filtered: 5,
    deadLetters: 6,
    filterErrors: 7,
    withdrawn: 8,
  };
  const lines = (change: object) =>
    resultText({ streams: { assets: { ...result, ...change } }, more: false }, 1, false).split('\n');
  const cellsOf = (line = '') => line.trim().split(/\s{2,}/);

  test('the result of a run has a column for each outcome of a row, in this order', () => {
    const [head, , row] = lines({});
    const fates = 'forwarded, duplicates, superseded, unknown tombstones, filtered, dead letters';
    expect(cellsOf(head)).toEqual(['stream', 'pages', 'read', ...fates.split(', '), 'withdrawn', 'caught up']);
    expect(cellsOf(row)).toEqual(['assets', '2', '100', '40', '20', '3', '4', '5', '6', '8', 'not yet']);
    expect(cellsOf(lines({ caughtUp: true })[2]).at(-1)).toBe('yes');
  });

  test('the result of a run has no column for a filter where no row was filtered', () => {
    expect(cellsOf(lines({ filtered: 0 })[0])).not.toContain('filtered');
  });

  test('notes what the columns do not show, and nothing else', () => {
    expect(lines({}).slice(4)).toEqual([
      'Oversize rows, each forwarded as an oversize event: 1.',
      'Rows for which a filter gave an error or no boolean, which were sent: 7. See docs/filters.md.',
      'Rows read but not committed, which the next run reads again: 22.',
      'The run took 1.0 s.',
    ]);
    expect(lines({ oversize: 0, filterErrors: 0, rows: 79 }).slice(4)).toEqual(['The run took 1.0 s.']);
    expect(lines({ oversize: 0, filterErrors: 0, rows: 79, stalledCursors: 1 })[4]).toBe(
      'The API led a walk back to a cursor that it had already followed: see stream-behind in docs/runbook.md.',
    );
  });
});

test('the time of a run is always shown in seconds, as its limit is', () => {
  const text = (seconds: number) => resultText({ streams: {}, more: false }, seconds, false);
  expect([text(0.44), text(869.6)]).toEqual([
    expect.stringContaining('The run took 0.4 s.'),
    expect.stringContaining('The run took 870 s.'),
  ]);
});
