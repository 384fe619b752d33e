import { Command } from 'commander';
import { help, type Run, wholeNumber } from '../command.ts';
import type { Context } from '../context.ts';
import {
  FAILURE_TERMS,
  type FailureGroup,
  failureGroups,
  type LogLine,
  type LogRead,
  type LogSpan,
  readLog,
} from '../failures.ts';
import { jsonObject } from '../json-object.ts';
import { joined, paint, painted, type Text } from '../painted.ts';
import type { Outcome } from '../report.ts';
import { timeText } from '../text.ts';

interface ErrorsOptions {
  readonly hours: number;
  readonly raw?: true;
}

export function errorsCommand(run: Run): Command {
  return new Command('errors')
    .description('show what failed in the last hours, from the log of the function; changes nothing')
    .option('--hours <number>', 'how far to read back', wholeNumber({ min: 1, unit: ' of hours' }), 3)
    .option('--raw', 'print the lines of the log that report failures')
    .addHelpText('after', help(MEANING, 'errors', 'errors --hours 24', 'errors --raw --json'))
    .action(run(errors));
}

const MEANING = `Failures of one stream and class count as one, the newest first, with the words of the last one: what failed, what that means for
the data, what to do. Below are the sums of what the runs reported, by stream and, as "run", of whole runs, each other than zero.
It reads the newest lines first, and at most 200 pages or 64 MiB. It says which time it did not read.
Exit status 3: something failed.`;

/** Found in every log line with the metrics of a run. */
const FIGURES_TERM = '"_aws"';
const HOUR_MILLISECONDS = 3_600_000;

/** @throws RefusedError, AwsCallError */
async function errors({ aws, clock, deployment }: Context, { hours, raw }: ErrorsOptions): Promise<Outcome> {
  const { logGroup } = await deployment();
  const to = clock.now();
  const span = { from: to - hours * HOUR_MILLISECONDS, to };
  const read = await readLog(aws, logGroup, { ...span, terms: [...FAILURE_TERMS, ...(raw ? [] : [FIGURES_TERM])] });
  const groups = failureGroups(read.lines);
  const figures = figuresOf(read.lines);
  const text = raw ? read.lines.map(rawText) : [...groupLines(groups, hours), ...figureLines(figures)];
  return {
    text: joined([...text, ...unreadLines(read)]),
    json: {
      ...spanJson(span),
      unread: read.unread.map(spanJson),
      ...(raw
        ? { lines: read.lines.map(({ time, text }) => ({ time: timeText(time), text })) }
        : { failures: groups.map(groupJson), figures: Object.fromEntries(figures) }),
    },
    status: groups.length > 0 ? 3 : 0,
  };
}

function rawText({ time, text }: LogLine): string {
  return `${timeText(time)} ${text}`;
}

function groupLines(groups: readonly FailureGroup[], hours: number): Text[] {
  if (groups.length === 0) return [`Nothing failed in the last ${hours} h.`];
  const width = String(Math.max(...groups.map(({ count }) => count))).length;
  return groups.flatMap(({ count, first, time, stream = 'run', error, what, advice }) => [
    painted`${String(count).padStart(width)} × ${timeText(first)} to ${timeText(time)}  ${stream}  ${paint.bad(error)}: ${what}`,
    `${' '.repeat(width)}   → ${advice}`,
  ]);
}

function groupJson({ count, first, time, stream, error, what, advice }: FailureGroup): object {
  return { count, first: timeText(first), last: timeText(time), stream: stream ?? null, error, what, advice };
}

type Figures = Record<string, number>;

/** Names of figures that are not summed. */
const COMBINED: Readonly<Record<string, (one: number, other: number) => number>> = {
  TimeLeftMilliseconds: Math.min,
  MemoryUsedMegabytes: Math.max,
};

/** By stream, and `run` for what is about whole runs. */
function figuresOf(lines: readonly LogLine[]): Map<string, Figures> {
  const all = new Map<string, Figures>();
  for (const { text } of lines) {
    const { _aws: metrics, stream = 'run', service: _, ...members } = jsonObject(text) ?? {};
    if (!metrics) continue;
    const figures = all.get(String(stream)) ?? {};
    all.set(String(stream), figures);
    for (const [name, given] of [['Reports', 1] as const, ...Object.entries(members)]) {
      const value = Number(given);
      if (!Number.isFinite(value)) continue;
      const combined = COMBINED[name] ?? ((one, other) => one + other);
      const before = figures[name];
      figures[name] = before === undefined ? value : combined(before, value);
    }
  }
  return all;
}

function figureLines(figures: ReadonlyMap<string, Figures>): string[] {
  const width = Math.max(0, ...[...figures.keys()].map(({ length }) => length));
  const lines = [...figures].map(([stream, each]) => {
    const shown = Object.entries(each).filter(([, value]) => value !== 0);
    return `${stream.padEnd(width)}  ${shown.map(([name, value]) => `${name} ${value}`).join(', ')}`;
  });
  return lines.length === 0 ? ['No run has reported.'] : ['', ...lines];
}

function unreadLines({ unread }: LogRead): string[] {
  if (unread.length === 0) return [];
  const spans = unread.map(({ from, to }) => `${timeText(from)} to ${timeText(to)}`).join(' and ');
  return ['', `The log is longer than what is read. Not read: ${spans}. Use fewer --hours.`];
}

function spanJson({ from, to }: LogSpan): object {
  return { from: timeText(from), to: timeText(to) };
}
