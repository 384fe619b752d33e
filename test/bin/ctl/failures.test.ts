import { expect, test } from '@jest/globals';
import type { Aws } from '../../../bin/ctl/aws.ts';
import { failureGroups, type LogQuery, readLog } from '../../../bin/ctl/failures.ts';

const HOUR = 3_600_000;

/** A log with a line each ten minutes, of which a page holds two. */
function log(from: number, to: number) {
  const asked: { startTime: number; endTime: number }[] = [];
  const send = async ({ input }: { input: { startTime: number; endTime: number; nextToken?: string } }) => {
    asked.push(input);
    const times = [];
    for (let time = from; time < to; time += HOUR / 6) times.push(time);
    const within = times.filter(time => time >= input.startTime && time <= input.endTime);
    const at = Number(input.nextToken ?? 0);
    const events = within.slice(at, at + 2).map(timestamp => ({ timestamp, message: `line at ${timestamp / HOUR} h` }));
    return { events, ...(at + 2 < within.length && { nextToken: String(at + 2) }) };
  };
  return { aws: { logs: () => ({ send }) } as unknown as Aws, asked };
}

const read = (aws: Aws, query: Partial<LogQuery> = {}) =>
  readLog(aws, 'group', { from: 0, to: 8 * HOUR, terms: ['ERROR'], ...query });

test('a log is read in windows from its end, and has each line once, oldest first', async () => {
  const { aws, asked } = log(0, 8 * HOUR);
  const { lines, unread } = await read(aws);
  expect(lines.map(({ time }) => time)).toEqual(Array.from({ length: 48 }, (_, at) => (at * HOUR) / 6));
  expect(unread).toEqual([]);
  expect(asked[0]).toMatchObject({ startTime: 7 * HOUR, endTime: 8 * HOUR - 1, filterPattern: '?ERROR' });
});

test('a log that is longer than the bounds is read up to them, the newest window first, and what is missing is named', async () => {
  const { aws, asked } = log(0, 8 * HOUR);
  const { lines, unread } = await read(aws, { bounds: { pages: 5, bytes: 10_000 } });
  expect(asked).toHaveLength(5);
  expect(lines.map(({ time }) => time / HOUR)).toEqual([
    5,
    5 + 1 / 6,
    5 + 2 / 6,
    5.5,
    7,
    7 + 1 / 6,
    7 + 2 / 6,
    7.5,
    7 + 4 / 6,
    7 + 5 / 6,
  ]);
  expect(unread).toEqual([
    { from: 0, to: 5 * HOUR },
    { from: 5.5 * HOUR, to: 7 * HOUR },
  ]);
  const { unread: ofBytes } = await read(aws, { bounds: { pages: 100, bytes: 1 } });
  expect(ofBytes[0]).toEqual({ from: 0, to: 7 * HOUR });
});

test('a log is read no farther back than the newest lines that are enough', async () => {
  const { aws } = log(0, 8 * HOUR);
  const { lines } = await read(aws, { enough: all => all.length > 0 });
  expect(lines[0]?.time).toBe(7 * HOUR);
});

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
