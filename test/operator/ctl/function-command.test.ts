import { describe, expect, test } from '@jest/globals';
import type { Context } from '../../../bin/ctl/context.ts';
import { RefusedError } from '../../../bin/ctl/errors.ts';
import { runResultText } from '../../../bin/ctl/function-command.ts';
import { invokeWhenFree } from '../../../bin/ctl/invoke.ts';
import { EMPTY_RESULT } from '../../../lambda/core/run.ts';
import { steppedClock } from '../../support/function/stepped-clock.ts';

const LEASE_HELD = { Payload: { leaseHeld: true } };
const LEASE_BUSY = { FunctionError: 'Unhandled', Payload: { errorType: 'LeaseBusyError', errorMessage: 'Busy.' } };
const RAN = { Payload: { streams: {}, more: false } };

/** Invokes a function that gives these answers in turn, the last one for ever. */
function invoked(wait: number, ...answers: readonly { readonly FunctionError?: string; readonly Payload: object }[]) {
  const interruption = new AbortController();
  const clock = steppedClock();
  const said: string[] = [];
  let calls = 0;
  const send = async () => {
    const { Payload, ...answer } = answers[Math.min(calls++, answers.length - 1)]!;
    return { ...answer, Payload: { transformToString: () => JSON.stringify(Payload) } };
  };
  const context = {
    aws: { invoker: () => ({ send }) },
    clock,
    report: { say: (line: string) => said.push(line) },
    signal: interruption.signal,
    deployment: async () => ({ functionName: 'f' }),
  } as unknown as Context;
  return { ended: invokeWhenFree(context, {}, wait), said, clock, interrupt: () => interruption.abort() };
}

test('a command that the function rejects is reported as refused without any effect', async () => {
  const Payload = { errorType: 'CommandError', errorMessage: 'replay.0 must be one of assets, threats' };
  const { ended } = invoked(0, { FunctionError: 'Unhandled', Payload });
  await expect(ended).rejects.toThrow(RefusedError);
  await expect(ended).rejects.toThrow(Payload.errorMessage);
});

test.each([
  ['a plain run', LEASE_HELD],
  ['any other command', LEASE_BUSY],
])('%s waits for the run that holds the lease and says for how long', async (_, busy) => {
  const { ended, said, clock } = invoked(12, busy, busy, RAN);
  expect(await ended).toMatchObject({ result: RAN.Payload, seconds: 0 });
  expect(clock.pauses).toEqual([5_000, 5_000]);
  expect(said.filter(line => line.startsWith('Another run'))).toEqual([
    'Another run holds the lease. Trying again for 12 s at most.',
    'Another run holds the lease. Trying again for 7 s at most.',
  ]);
});

test('a command that waits for the lease ends at Ctrl-C without any effect', async () => {
  const { ended, interrupt } = invoked(12, LEASE_HELD);
  interrupt();
  await expect(ended).rejects.toThrow('Interrupted while waiting for the lease. Nothing was done.');
});

test('a command makes a last attempt when the time to wait for the lease ends, and then fails', async () => {
  const { ended, said, clock } = invoked(12, LEASE_HELD);
  await expect(ended).rejects.toThrow('Another run still holds the lease after 12 s. Nothing was done.');
  expect(clock.pauses).toEqual([5_000, 5_000, 2_000]);
  expect(said.filter(line => line === 'A run is in progress.')).toHaveLength(4);
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
    runResultText({ streams: { assets: { ...result, ...change } }, more: false }, 1, false).split('\n');
  const cellsOf = (line = '') => line.trim().split(/\s{2,}/);

  test('the result of a run has a column for each outcome of a row, in a fixed order', () => {
    const [head, , row] = lines({});
    const fates = 'forwarded, duplicates, superseded, unknown tombstones, filtered, dead letters';
    expect(cellsOf(head)).toEqual(['stream', 'pages', 'read', ...fates.split(', '), 'withdrawn', 'caught up']);
    expect(cellsOf(row)).toEqual(['assets', '2', '100', '40', '20', '3', '4', '5', '6', '8', 'not yet']);
    expect(cellsOf(lines({ caughtUp: true })[2]).at(-1)).toBe('yes');
  });

  test('the result of a run has no column for filters when no row was filtered', () => {
    expect(cellsOf(lines({ filtered: 0 })[0])).not.toContain('filtered');
  });

  test('the result of a run has notes only about facts that its columns do not show', () => {
    expect(lines({}).slice(4)).toEqual([
      'Oversize rows, each forwarded as an oversize event: 1.',
      'Rows for which a filter failed or did not return a boolean, which were sent: 7. See docs/filters.md.',
      'Rows read but not committed, which the next run reads again: 22.',
      'The run took 1.0 s.',
    ]);
    expect(lines({ oversize: 0, filterErrors: 0, rows: 79 }).slice(4)).toEqual(['The run took 1.0 s.']);
    expect(lines({ oversize: 0, filterErrors: 0, rows: 79, stalledCursors: 1 })[4]).toBe(
      'The API led a walk back to a cursor that it had already followed: see stream-behind in docs/runbook.md.',
    );
  });
});

test('the time of a run is always shown in seconds, like its limit', () => {
  const text = (seconds: number) => runResultText({ streams: {}, more: false }, seconds, false);
  expect(text(0.44)).toContain('The run took 0.4 s.');
  expect(text(869.6)).toContain('The run took 870 s.');
});
