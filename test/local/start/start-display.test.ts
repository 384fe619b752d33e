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
  test('the table of a run counts each row once, and counts events without a row separately', async () => {
    const metrics = await metricsOf(
      metricLine('threats', { RowsRead: 1000, EventsForwarded: 700, ThreatsWithdrawn: 200 }),
      metricLine('threats', { RowsRead: 500, EventsForwarded: 1, DeadLetters: 2, RowsFiltered: 8 }),
      ...['', '{"_aws"', '{"_aws":{},"RowsRead":5}', '{"stream":"threats","RowsRead":5}'],
    );
    const [, , ...lines] = summaryTable(['threats'], metrics).split('\n');
    expect(lines.map(line => line.replaceAll(/ {2,}/g, ' '))).toEqual([
      'read 1,500 1,500',
      '= forwarded 501 501',
      '+ duplicates 0 0',
      '+ superseded 0 0',
      '+ unknown 0 0',
      '+ filtered 8 8',
      '+ dead letters 2 2',
      '+ not finished 989 989',
      expect.stringMatching(/^-+$/),
      'tombstones 0 0',
      'withdrawn 200 200',
    ]);
  });

  test('notes explain filtered rows, failing filters, threats without an asset and streams that are off', async () => {
    const metrics = await metricsOf(
      metricLine('assets', { RowsRead: 9, RowsFiltered: 8, EventsForwarded: 1, FilterErrors: 2 }),
      metricLine('threats', { RowsRead: 5, RowsFiltered: 5, ThreatsWithoutAsset: 3 }),
    );
    const notes = summaryNotes(['assets', 'threats'], metrics);
    expect(notes).toEqual([
      expect.stringMatching(/^filtered: /),
      expect.stringContaining('the filter of assets failed or did not return a boolean for 2 rows'),
      expect.stringContaining('the filter of threats dropped every row of this run'),
      expect.stringContaining('Threats that do not name their asset: 3. --threat-asset-field'),
      expect.stringContaining('--dns-blocks-path'),
    ]);
  });
});

describe('progress', () => {
  const url = 'https://api.example/v1/assets';
  const page = { url, status: 200 };

  test('progress on a terminal is one line, which is rewritten and never wider than the terminal', () => {
    const texts: string[] = [];
    let now = 0;
    const screen = { isTTY: true, columns: 10, write: (text: string) => texts.push(text) };
    const progress = new Progress([{ name: 'assets', url }], screen, () => now);
    for (const answer of [page, page, { url: 'https://auth.example/token', status: 200 }, page]) {
      progress.observe(answer);
      now += 600;
    }
    progress.end();
    const lines = ['assets: 1', 'assets: 2', 'assets: 3'];
    expect(texts).toEqual([...lines.map(line => `\r\u001b[2K${line}`), '\n']);
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

test('a failure escapes control characters of the API, and shows its stack trace only with --verbose', () => {
  const message = 'The API answered 500 \x1b[2J\x9b31m\u202e of others.';
  const stack = `ApiRefusedError: ${message}\n    at somewhere`;
  const error = new FunctionError({ name: 'ApiRefusedError', message, stack });
  const shown = 'ApiRefusedError: The API answered 500 \\u001b[2J\\u009b31m\\u202e of others.';
  expect(failureText(error, false)).toBe(`Failed: ${shown}`);
  expect(failureText(error, true)).toBe(`${shown}\n    at somewhere`);
});

test("the run invokes the function while rows remain, and waits for the end of another run's lease", async () => {
  const results: InvocationResult[] = [
    { streams: {}, more: true },
    { streams: {}, more: false, leaseHeld: true },
    { streams: {}, more: false },
  ];
  const calls: string[] = [];
  const drained = drainUntilDone({
    isStopped: () => false,
    invoke: async () => {
      calls.push('invoke');
      return results.shift()!;
    },
    onLeaseHeld: () => void calls.push('lease'),
    sleep: async () => void calls.push('sleep'),
  });
  await expect(drained).resolves.toBe(true);
  expect(calls).toEqual(['invoke', 'invoke', 'lease', 'sleep', 'invoke']);
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
