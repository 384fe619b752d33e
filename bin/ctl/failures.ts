/**
 * What failed, from the function's log. A line of the function names its class, what happened, what is safe and what to do. Lambda adds
 * lines of its own for a function that cannot start or that it ended:
 *
 *     {"level":"ERROR","message":"A stream failed","stream":"assets","error":{"name":"ApiUnavailableError","message":"…",…},…}
 *     2026-11-20T12:00:00.000Z 5a1c… ERROR Invoke Error {"errorType":"SettingsError","errorMessage":"…","stack":[…]}
 *     2026-11-20T12:00:00.000Z 5a1c… Task timed out after 900.00 seconds
 */
import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { SAFE } from '../../lambda/core/errors.ts';
import type { Aws } from './aws.ts';
import { awsCall } from './errors.ts';
import { groupBy } from './group-by.ts';
import { jsonObject } from './json-object.ts';

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** Milliseconds since 1970. */
export interface LogSpan {
  readonly from: number;
  readonly to: number;
}

export interface LogRead {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** What was not read because of the bounds. Empty if everything was read. */
  readonly unread: readonly LogSpan[];
}

/** Terms of lines about failures, one of which a line must have. */
export const FAILURE_TERMS = ['ERROR', '"Task timed out"', '"Runtime exited"'];

/** A failed run logs about 3 kB. These bounds suffice for two weeks in which every run fails. */
const BOUNDS = { pages: 200, bytes: 64 * 2 ** 20 };

const HOUR_MILLISECONDS = 3_600_000;

export interface LogQuery extends LogSpan {
  readonly terms: readonly string[];
  readonly bounds?: typeof BOUNDS;
  /** Whether the newest lines suffice. If so, older lines are not read, and not reported as unread. */
  readonly enough?: (lines: readonly LogLine[]) => boolean;
}

/**
 * CloudWatch gives the oldest lines first, and the newest matter most. So the span is read in windows from its end: the last hour, the two
 * hours before, the four hours before.
 *
 * @throws AwsCallError
 */
export async function readLog(
  aws: Aws,
  group: string,
  { from, to, terms, enough, bounds = BOUNDS }: LogQuery,
): Promise<LogRead> {
  const filterPattern = terms.map(term => `?${term}`).join(' ');
  const left = { ...bounds };
  let lines: LogLine[] = [];
  let end = to;
  for (let length = HOUR_MILLISECONDS; end > from && !enough?.(lines); length *= 2) {
    const start = Math.max(from, end - length);
    const window: LogLine[] = [];
    let nextToken: string | undefined;
    do {
      if (left.pages <= 0 || left.bytes <= 0) {
        const before = start > from ? [{ from, to: start }] : [];
        return { lines: [...window, ...lines], unread: [...before, { from: window.at(-1)?.time ?? start, to: end }] };
      }
      // CloudWatch includes both ends of the span.
      const input = { logGroupName: group, filterPattern, startTime: start, endTime: end - 1, nextToken };
      const page = await awsCall(
        aws.logs().send(new FilterLogEventsCommand(input)),
        `The log group ${group} could not be read`,
        'Nothing was changed. You need logs:FilterLogEvents on it.',
      );
      left.pages -= 1;
      for (const { timestamp = 0, message = '' } of page.events ?? []) {
        window.push({ time: timestamp, text: message.trimEnd() });
        left.bytes -= message.length;
      }
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    lines = [...window, ...lines];
    end = start;
  }
  return { lines, unread: [] };
}

export interface Failure {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly stream: string | undefined;
  /** Class of the error, or `Lambda` for a run that Lambda ended. */
  readonly error: string;
  readonly what: string;
  /** What is safe and what to do. */
  readonly advice: string;
}

/** The failure that a line reports. Undefined if another line reports it already, or if the line reports none. */
export function failureOf({ time, text }: LogLine): Failure | undefined {
  const line = jsonObject(text.slice(Math.max(0, text.indexOf('{'))));
  if (line?.['level'] === 'ERROR') {
    const error = (line['error'] ?? {}) as LoggedError;
    const { what, advice } = parts(error.message ?? String(line['message'] ?? ''));
    const stream = typeof line['stream'] === 'string' ? line['stream'] : undefined;
    return { time, stream, error: error.name ?? 'Error', what: [what, ...causesOf(error)].join(' '), advice };
  }
  if (line?.['errorType'] !== undefined) {
    // The function has logged each of its streams.
    if (line['errorType'] === 'StreamsFailedError') return undefined;
    return { time, stream: undefined, error: String(line['errorType']), ...parts(String(line['errorMessage'])) };
  }
  const ended = /(Task timed out|Runtime exited).*/.exec(text)?.[0];
  return ended === undefined ? undefined : { time, stream: undefined, error: 'Lambda', ...parts(ended) };
}

interface LoggedError {
  readonly name?: string;
  readonly message?: string;
  readonly cause?: LoggedError;
}

/** Errors of other libraries only. The message of the function's own error says already what its cause means. */
function causesOf({ cause }: LoggedError): string[] {
  return cause?.name === undefined ? [] : [`(Cause: ${cause.name}: ${cause.message ?? ''})`, ...causesOf(cause)];
}

/** Splits a message where it begins to say what is safe. Lambda's messages do not say that, so the runbook is named. */
function parts(said: string): Pick<Failure, 'what' | 'advice'> {
  const at = [SAFE, 'Nothing '].map(words => said.indexOf(words)).find(each => each > 0);
  if (at === undefined) return { what: said, advice: NOTHING_LOST };
  return { what: said.slice(0, at).trimEnd(), advice: said.slice(at) };
}

const NOTHING_LOST = 'Nothing is lost: the next run continues. See docs/runbook.md#function-errors.';

export interface FailureGroup extends Failure {
  readonly count: number;
  /** Milliseconds since 1970 of the first one. `time` is that of the last. */
  readonly first: number;
}

/** Numbers and ids differ from run to run: of the request, of a time-out. */
const VARYING = /\b(?=[\w-]*\d)[\w-]+\b/g;

/** Groups failures of one stream and class that differ in numbers only. A group has the text of its last failure. Newest group first. */
export function failureGroups(lines: readonly LogLine[]): FailureGroup[] {
  const all = lines.map(failureOf).filter(each => each !== undefined);
  const kind = ({ stream, error, what }: Failure) => [stream, error, what.replace(VARYING, '#')].join('\n');
  return [...groupBy(all, kind).values()]
    .map(group => ({ ...group.at(-1)!, count: group.length, first: group[0]!.time }))
    .toSorted((one, other) => other.time - one.time);
}
