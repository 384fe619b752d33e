import { describe, expect, test } from '@jest/globals';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { failureText } from '../../../local/start/failure-text.ts';
import { HandlerError } from '../../../local/start/handler-host.ts';
import { ProgressLine } from '../../../local/start/progress.ts';
import { drainUntilDone, onInterruption } from '../../../local/start/run.ts';
import { MetricTally, summaryNotes, summaryTable } from '../../../local/start/summary.ts';

function metricLine(stream: string, values: Record<string, number>): string {
  return JSON.stringify({ _aws: {}, service: 'local', stream, ...values });
}

describe('the table of a run', () => {
  test('sums the metrics of all invocations, and does not count withdrawals as forwarded rows', () => {
    const tally = new MetricTally();
    tally.add(metricLine('threats', { RowsRead: 1000, EventsForwarded: 700, ThreatsWithdrawn: 200 }));
    tally.add(metricLine('threats', { RowsRead: 500, EventsForwarded: 1, ThreatsWithdrawn: 0, DeadLetters: 2 }));
    const table = summaryTable(['threats'], stream => tally.of(stream));
    expect(table).toMatch(/^read +1,500 +1,500$/m);
    expect(table).toMatch(/^= forwarded +501 +501$/m);
    expect(table).toMatch(/^\+ dead letters +2 +2$/m);
    expect(table).toMatch(/^withdrawn +200 +200$/m);
  });

  test('lines that are no metrics of a stream change nothing', () => {
    const tally = new MetricTally();
    for (const line of ['', '{"_aws"', '{"_aws":{},"RowsRead":5}', 'null', '{"stream":"assets","RowsRead":5}']) {
      tally.add(line);
    }
    expect(tally.of('assets').RowsRead).toBe(0);
  });

  test('says what to do about threats that do not name their asset, and about the stream that is off', () => {
    const tally = new MetricTally();
    tally.add(metricLine('threats', { ThreatsWithoutAsset: 3 }));
    const notes = summaryNotes(['assets', 'threats'], stream => tally.of(stream)).join('\n');
    expect(notes).toContain('Threats that do not name their asset: 3. --threat-asset-field');
    expect(notes).toContain('--dns-blocks-path');
  });
});

test('the table of the largest embedded platform is at most 60 columns wide', () => {
  const tally = new MetricTally();
  const counts = { RowsRead: 1_000_000, EventsForwarded: 990_000, RowsSuperseded: '9000', TombstonesIgnored: 1_000 };
  const streams = ['assets', 'threats', 'dns-blocks'];
  for (const stream of streams) tally.add(JSON.stringify({ _aws: {}, stream, ...counts }));
  const widths = summaryTable(streams, stream => tally.of(stream))
    .split('\n')
    .map(line => line.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(60);
});

test('rows that a failed run has read but not finished are shown, so that the table adds up', () => {
  const tally = new MetricTally();
  tally.add(JSON.stringify({ _aws: {}, stream: 'assets', RowsRead: 50, EventsForwarded: 20 }));
  const table = summaryTable(['assets'], stream => tally.of(stream));
  expect(table).toMatch(/^\+ not finished +30 +30$/m);
});

describe('progress', () => {
  function written(isTTY: boolean): string[] {
    const texts: string[] = [];
    const line = new ProgressLine({ isTTY, columns: 20, write: text => texts.push(text) });
    for (const text of ['assets  1 page read', 'assets  1 page read', 'assets  2 pages read, and more'])
      line.show(text);
    line.end();
    return texts;
  }

  test('at a terminal is one line, rewritten and never wider than the terminal', () => {
    const again = '\r\u001b[2K';
    expect(written(true)).toEqual([`${again}assets  1 page read`, `${again}assets  2 pages rea`, '\n']);
  });

  test('elsewhere is appended when it has changed', () => {
    expect(written(false)).toEqual(['assets  1 page read\n', 'assets  2 pages read, and more\n']);
  });
});

describe('a failure', () => {
  const thrown = (name: string, message: string) =>
    new HandlerError({ name, message, stack: `${name}: ${message}\n    at somewhere`, causes: ['Error: beneath'] });

  test('of several streams is reported once for those that share it', () => {
    const refused = 'CredentialsError: Refused | as a sentence: with marks.';
    const message = `3 of 3 streams failed. assets: ${refused} | dns-blocks: ${refused} | threats: TypeError: Broken.`;
    const [head, ...lines] = failureText(thrown('StreamsFailedError', message), false).split('\n');
    expect(head).toBe('Failed.');
    expect(lines.slice(0, 2)).toEqual([`  assets, dns-blocks: ${refused}`, '  threats: TypeError: Broken.']);
    expect(lines[2]).toContain('CLIENT_SECRET');
  });

  test('commands no terminal, whatever the API put into its answer', () => {
    const commanding = thrown('ApiRefusedError', 'The API answered 500 \x1b[2J\x9b31m\u202e of others.');
    for (const verbose of [false, true]) {
      expect(failureText(commanding, verbose)).toContain('\\u001b[2J\\u009b31m\\u202e of others.');
    }
  });

  test('shows its stack and its causes only to those who ask', () => {
    const error = thrown('StateError', 'The table did not answer.');
    expect(failureText(error, false)).toBe('Failed: StateError: The table did not answer.');
    expect(failureText(error, true)).toContain('    at somewhere\ncaused by Error: beneath');
  });
});

describe('invoking until every stream is drained', () => {
  const result = (more: boolean, leaseHeld?: true): InvocationResult => {
    return { streams: {}, more, ...(leaseHeld ? { leaseHeld } : {}) };
  };

  function handler(...results: InvocationResult[]) {
    const calls = { invoked: 0, leases: 0, slept: 0 };
    return {
      calls,
      invoke: async () => results[calls.invoked++]!,
      onLeaseHeld: () => void calls.leases++,
      sleep: async () => void calls.slept++,
    };
  }

  test('invokes again at once while there is more', async () => {
    const lambda = handler(result(true), result(true), result(false));
    await expect(drainUntilDone({ ...lambda, isStopped: () => false })).resolves.toBe(true);
    expect(lambda.calls).toEqual({ invoked: 3, leases: 0, slept: 0 });
  });

  test("waits for the end of another run's lease", async () => {
    const lambda = handler(result(false, true), result(false, true), result(false));
    await expect(drainUntilDone({ ...lambda, isStopped: () => false })).resolves.toBe(true);
    expect(lambda.calls).toEqual({ invoked: 3, leases: 2, slept: 2 });
  });

  test('starts nothing further once it is stopped', async () => {
    const lambda = handler(result(true), result(true));
    const isStopped = () => lambda.calls.invoked === 1;
    await expect(drainUntilDone({ ...lambda, isStopped })).resolves.toBe(false);
    expect(lambda.calls.invoked).toBe(1);
  });
});

test('the signal that npm passes on beside the terminal is not a second Ctrl-C; a later one is', () => {
  let now = 0;
  const calls: string[] = [];
  const onFirst = () => void calls.push('first');
  const onFurther = () => void calls.push('further');
  using interruption = onInterruption({ onFirst, onFurther, now: () => now });
  expect(interruption.interrupted).toBe(false);
  for (const time of [1000, 1100, 3000]) {
    now = time;
    process.emit('SIGINT');
  }
  expect(calls).toEqual(['first', 'further']);
  expect(interruption.interrupted).toBe(true);
});
