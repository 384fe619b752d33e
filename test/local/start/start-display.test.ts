import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { InvocationResult } from '../../../lambda/invocation.ts';
import { onInterruption } from '../../../local/interruption.ts';
import { failureText } from '../../../local/start/failure-text.ts';
import { FunctionError } from '../../../local/start/function-host.ts';
import { Progress } from '../../../local/start/progress.ts';
import { drainUntilDone } from '../../../local/start/run.ts';
import { type MetricsOfStream, readLoggedMetrics, summaryNotes, summaryTable } from '../../../local/start/summary.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';

function metricLine(stream: string, values: Record<string, number>): string {
  return JSON.stringify({ _aws: {}, service: 'local', stream, ...values });
}

/** The metrics of these lines of the function's log. */
async function metricsOf(...lines: readonly string[]): Promise<MetricsOfStream> {
  await using folder = await temporaryFolder('log-');
  const file = join(folder.path, 'function.log');
  await writeFile(file, `a line of an earlier run\n${lines.join('\n')}\n`);
  return readLoggedMetrics(file, 25);
}

describe('the table of a run', () => {
  test('the table of a run has the sums of all invocations, with withdrawals separate from sent rows', async () => {
    const metrics = await metricsOf(
      metricLine('threats', { RowsRead: 1000, EventsForwarded: 700, ThreatsWithdrawn: 200 }),
      metricLine('threats', { RowsRead: 500, EventsForwarded: 1, ThreatsWithdrawn: 0, DeadLetters: 2 }),
    );
    const table = summaryTable(['threats'], metrics);
    expect(table).toMatch(/^read +1,500 +1,500$/m);
    expect(table).toMatch(/^= forwarded +501 +501$/m);
    expect(table).toMatch(/^\+ dead letters +2 +2$/m);
    expect(table).toMatch(/^withdrawn +200 +200$/m);
  });

  test('the table of a run ignores log lines that are not metrics of a stream', async () => {
    const metrics = await metricsOf('', '{"_aws"', '{"_aws":{},"RowsRead":5}', '{"stream":"assets","RowsRead":5}');
    expect(metrics('assets').RowsRead).toBe(0);
  });

  test('notes name a remedy when threats do not name their asset or a stream is off', async () => {
    const metrics = await metricsOf(metricLine('threats', { ThreatsWithoutAsset: 3 }));
    const notes = summaryNotes(['assets', 'threats'], metrics).join('\n');
    expect(notes).toContain('Threats that do not name their asset: 3. --threat-asset-field');
    expect(notes).toContain('--dns-blocks-path');
  });

  test('the table of a run warns of a filter that drops every row or fails', async () => {
    const metrics = await metricsOf(
      metricLine('assets', { RowsRead: 9, RowsFiltered: 8, FilterErrors: 2 }),
      metricLine('threats', { RowsRead: 5, RowsFiltered: 5 }),
    );
    expect(summaryNotes(['assets', 'threats'], metrics).filter(note => note.startsWith('WARNING'))).toEqual([
      expect.stringContaining('the filter of assets failed or did not return a boolean for 2 rows'),
      expect.stringContaining('the filter of threats dropped every row of this run'),
    ]);
    expect(summaryTable(['assets', 'threats'], metrics)).toMatch(/^\+ filtered +8 +5 +13$/m);
  });

  test('the table of a failed run shows the rows that were read but not finished', async () => {
    const metrics = await metricsOf(metricLine('assets', { RowsRead: 50, EventsForwarded: 20 }));
    expect(summaryTable(['assets'], metrics)).toMatch(/^\+ not finished +30 +30$/m);
  });
});

describe('progress', () => {
  const url = 'https://api.example/v1/assets';
  const page = { url, status: 200 };

  function written(isTTY: boolean): string[] {
    const texts: string[] = [];
    let now = 0;
    const screen = { isTTY, columns: 10, write: (text: string) => texts.push(text) };
    const progress = new Progress([{ name: 'assets', url }], screen, () => now);
    for (const answer of [page, page, { url: 'https://auth.example/token', status: 200 }, page]) {
      progress.observe(answer);
      now += 600;
    }
    progress.end();
    return texts;
  }

  test('progress on a terminal is one line, which is rewritten and never wider than the terminal', () => {
    const lines = ['assets: 1', 'assets: 2', 'assets: 3'];
    expect(written(true)).toEqual([...lines.map(line => `\r\u001b[2K${line}`), '\n']);
  });

  test('progress elsewhere is appended each second if it has changed', () => {
    expect(written(false)).toEqual(['assets: 1 page\n', 'assets: 2 pages\n', 'assets: 3 pages\n']);
  });

  test('progress shows why a request is retried, until the API answers', () => {
    const progress = new Progress([{ name: 'assets', url }], { write: () => undefined });
    progress.observe({ url, problem: 'connect ECONNREFUSED \u001b[31m' });
    expect(progress.trouble).toBe(`connect ECONNREFUSED \\u001b[31m (${url})`);
    progress.observe({ url, status: 503 });
    expect(progress.trouble).toBe(`answer 503 (${url})`);
    progress.observe(page);
    expect(progress.trouble).toBeUndefined();
  });
});

describe('a failure', () => {
  const thrown = (name: string, message: string) =>
    new FunctionError({ name, message, stack: `${name}: ${message}\n    at somewhere` });

  test('a failure shows control characters from the API’s answer as escapes', () => {
    const commanding = thrown('ApiRefusedError', 'The API answered 500 \x1b[2J\x9b31m\u202e of others.');
    for (const verbose of [false, true]) {
      expect(failureText(commanding, verbose)).toContain('\\u001b[2J\\u009b31m\\u202e of others.');
    }
  });

  test('a failure shows its stack trace only with --verbose', () => {
    const error = thrown('StateError', 'The table did not answer.');
    expect(failureText(error, false)).toBe('Failed: StateError: The table did not answer.');
    expect(failureText(error, true)).toContain('    at somewhere');
  });
});

describe('invoking until every stream is caught up', () => {
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

  test('the run invokes the function again at once while rows remain', async () => {
    const lambda = handler(result(true), result(true), result(false));
    await expect(drainUntilDone({ ...lambda, isStopped: () => false })).resolves.toBe(true);
    expect(lambda.calls).toEqual({ invoked: 3, leases: 0, slept: 0 });
  });

  test("the run waits for the end of another run's lease", async () => {
    const lambda = handler(result(false, true), result(false, true), result(false));
    await expect(drainUntilDone({ ...lambda, isStopped: () => false })).resolves.toBe(true);
    expect(lambda.calls).toEqual({ invoked: 3, leases: 2, slept: 2 });
  });

  test('the run does not invoke the function again after it is stopped', async () => {
    const lambda = handler(result(true), result(true));
    const isStopped = () => lambda.calls.invoked === 1;
    await expect(drainUntilDone({ ...lambda, isStopped })).resolves.toBe(false);
    expect(lambda.calls.invoked).toBe(1);
  });
});

test('a signal that npm forwards does not count as a second Ctrl-C, but a later signal does', () => {
  let now = 0;
  const calls: string[] = [];
  const onFirst = () => void calls.push('first');
  const onFurther = () => void calls.push('further');
  using interruption = onInterruption({ onFirst, onFurther, now: () => now });
  expect(interruption.isInterrupted).toBe(false);
  for (const time of [1000, 1100, 3000]) {
    now = time;
    process.emit('SIGINT');
  }
  expect(calls).toEqual(['first', 'further']);
  expect(interruption.isInterrupted).toBe(true);
});
