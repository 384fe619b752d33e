/**
 * Reads failures from the function's log. A line from the function contains the class of the error
 * and its message, which explains the failure and gives advice. Lambda adds its own lines about a
 * function that cannot start or that Lambda ended:
 *
 *     {"level":"ERROR","message":"A stream failed","stream":"assets","error":{"name":"ApiUnavailableError","message":"…",…},…}
 *     2026-11-20T12:00:00.000Z 5a1c… ERROR Invoke Error {"errorType":"SettingsError","errorMessage":"…","stack":[…]}
 *     2026-11-20T12:00:00.000Z 5a1c… Task timed out after 900.00 seconds
 */
import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { NOTHING_IS_LOST } from '../../lambda/core/errors.ts';
import { type Aws, collectItems } from './aws.ts';
import { awsCall } from './errors.ts';
import { groupBy } from './group-by.ts';
import { parseJsonObject } from './json-object.ts';

export interface LogLine {
  /** Time of the line, in milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** Search terms for lines about failures. Each such line contains at least one term. */
const FAILURE_TERMS = ['ERROR', '"Task timed out"', '"Runtime exited"'];

/**
 * Failures of the function since a given time, newest kind first.
 *
 * @param from milliseconds since 1970
 * @throws AwsCallError
 */
export async function readFailures(aws: Aws, group: string, from: number) {
  const filterPattern = FAILURE_TERMS.map(term => `?${term}`).join(' ');
  const pages = paginateFilterLogEvents(
    { client: aws.logs() },
    { logGroupName: group, filterPattern, startTime: from },
  );
  const events = await awsCall(
    collectItems(pages, page => page.events),
    `The log group ${group} could not be read`,
  );
  return groupFailures(events.map(({ timestamp = 0, message = '' }) => ({ time: timestamp, text: message.trimEnd() })));
}

export type FailureGroup = ReturnType<typeof groupFailures>[number];

/**
 * Reads the failure that a line reports: the stream, the class of the error (`Lambda` for a run
 * that Lambda ended), the failure in words, and advice. Undefined if another line already reports
 * the failure, or if there is no failure.
 */
function failureOf({ time, text }: LogLine) {
  const line = parseJsonObject(text.slice(Math.max(0, text.indexOf('{'))));
  if (line?.['level'] === 'ERROR') {
    const error = (line['error'] ?? {}) as LoggedError;
    const { what, advice } = parts(error.message ?? String(line['message'] ?? ''));
    const stream = typeof line['stream'] === 'string' ? line['stream'] : undefined;
    return { time, stream, error: error.name ?? 'Error', what: [what, ...causesOf(error)].join(' '), advice };
  }
  if (line?.['errorType'] !== undefined) {
    // The function has also logged a line for each failed stream, so this line would repeat them.
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

/**
 * Texts of the error's causes, the nearest first, for example `(Cause: TypeError: fetch failed)`.
 */
function causesOf({ cause }: LoggedError): string[] {
  return cause?.name === undefined ? [] : [`(Cause: ${cause.name}: ${cause.message ?? ''})`, ...causesOf(cause)];
}

/**
 * Splits a message into the failure and the advice, which begins with "Nothing …" or with
 * NOTHING_IS_LOST. Lambda's own messages do not contain advice, so a reference to the runbook is
 * added.
 */
function parts(said: string): { readonly what: string; readonly advice: string } {
  const at = [NOTHING_IS_LOST, 'Nothing '].map(words => said.indexOf(words)).find(each => each > 0);
  if (at === undefined) return { what: said, advice: NOTHING_LOST };
  return { what: said.slice(0, at).trimEnd(), advice: said.slice(at) };
}

const NOTHING_LOST = 'Nothing is lost: the next run continues. See docs/runbook.md#function-errors.';

/**
 * Words with a digit, because they differ from run to run, for example the id of a request or the
 * seconds of a time-out.
 */
const VARYING = /\b(?=[\w-]*\d)[\w-]+\b/g;

/**
 * Groups failures of one stream and class that differ in numbers only, newest group first. A group
 * has the text and the time of its last failure, and the time of its first failure.
 */
export function groupFailures(lines: readonly LogLine[]) {
  const all = lines.map(failureOf).filter(each => each !== undefined);
  const kind = ({ stream, error, what }: (typeof all)[number]) =>
    [stream, error, what.replace(VARYING, '#')].join('\n');
  return [...groupBy(all, kind).values()]
    .map(group => ({ ...group.at(-1)!, count: group.length, first: group[0]!.time }))
    .toSorted((one, other) => other.time - one.time);
}
