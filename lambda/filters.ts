/**
 * Which rows of a stream are sent, and which of their members: the options `filters` and `omit`.
 *
 *     filter  severity != 'low'
 *     rows    {"id":"t1","severity":"low"}     withheld: the expression is exactly false
 *             {"id":"t2","severity":"high"}    sent
 *             {"id":"t3"}                      sent: null != 'low'
 *     filter  score > `5`
 *     row     {"id":"t4","score":"9"}          sent, and counted as a fault: a text has no order, so the result is null
 *
 *     omit    contact.email
 *     row     {"contact":{"email":"a@b","id":1.0}}    becomes {"contact":{"id":1.0}} before it is hashed
 */
import { channel } from 'node:diagnostics_channel';
import { JMESPathTypeError, search, UnknownFunctionError } from '@aws-lambda-powertools/jmespath';
import type { CutOptions } from './core/json/cutter.ts';
import { withoutMembers } from './core/json/members.ts';
import { rowOf } from './core/row.ts';
import type { FilterResult, Hash, RowSelection } from './ports.ts';

export interface SelectionOptions {
  /** In JMESPath. Only rows for which it is exactly `false` are withheld. */
  readonly filter?: string | undefined;
  /** Paths of members, their names joined by dots. */
  readonly omit?: readonly string[] | undefined;
}

/** Of each row that a filter was asked about. Only `npm start` listens. */
export const FILTER_CHANNEL = 'security-data-connector:filter';

export interface FilterMessage {
  /** Of the list. */
  readonly path: string;
  readonly text: string;
  readonly result: FilterResult;
}

const asked = channel(FILTER_CHANNEL);

/** @returns nothing when every row is sent as it is */
export function rowSelection(
  { filter, omit = [] }: SelectionOptions,
  path: string,
  cut: CutOptions,
  hash: Hash,
): RowSelection | undefined {
  if (filter === undefined && omit.length === 0) return undefined;
  const paths = omit.map(each => each.split('.'));
  return {
    tag: hash(JSON.stringify([filter ?? '', omit.toSorted()])).slice(0, TAG_LENGTH),
    filter(text) {
      if (filter === undefined) return 'send';
      const result = evaluate(filter, text);
      if (asked.hasSubscribers) asked.publish({ path, text, result } satisfies FilterMessage);
      return result;
    },
    reduce(element) {
      if (paths.length === 0 || !element.isObject) return element;
      const reduced = withoutMembers(element.text, paths);
      return reduced === element.text ? element : rowOf(reduced, path, cut);
    },
  };
}

const TAG_LENGTH = 16;

function evaluate(filter: string, text: string): FilterResult {
  try {
    const result = search(filter, JSON.parse(text));
    if (typeof result === 'boolean') return result ? 'send' : 'withhold';
  } catch {
    // Counted by the caller. The error may quote the row.
  }
  return 'fault';
}

/** @returns why the text is no expression; nothing when it is one */
export function filterFault(filter: string): string | undefined {
  try {
    search(filter, {});
  } catch (error) {
    // A function may rightly refuse the members that this row lacks.
    if (!(error instanceof JMESPathTypeError)) return (error as Error).message;
  }
  return functionsIn(filter)
    .filter(isUnknown)
    .map(name => `Unknown function: ${name}()`)[0];
}

/** Names before a parenthesis. Neither texts nor literals count. */
function functionsIn(filter: string): string[] {
  const bare = filter.replace(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"/g, '');
  return [...bare.matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name]) => name!);
}

/** The library looks a function up when it is called, which a sample row need not reach. */
function isUnknown(name: string): boolean {
  try {
    search(`${name}()`, {});
  } catch (error) {
    return error instanceof UnknownFunctionError;
  }
  return false;
}
