/**
 * Decides which rows of a stream are sent, and which of their members: the options `filters` and
 * `omit`. The language is JMESPath, because people who work with AWS know it, and because it cannot
 * loop or reach outside the row. Only the result `false` excludes a row, because JMESPath gives
 * null for a value of a wrong type.
 *
 *     filter  severity != 'low'
 *     rows    {"id":"t1","severity":"low"}     filtered: the expression is exactly false
 *             {"id":"t2","severity":"high"}    sent
 *             {"id":"t3"}                      sent: null != 'low'
 *     filter  score > `5`
 *     row     {"id":"t4","score":"9"}          sent, and counted as an error: a text has no order, so the result is null
 *
 *     omit    contact.email
 *     row     {"contact":{"email":"a@b","id":1.0}}    becomes {"contact":{"id":1.0}} before it is hashed
 */
import { JMESPathTypeError, search, UnknownFunctionError } from '@aws-lambda-powertools/jmespath';
import { withoutMembers } from './core/json/members.ts';
import { rowElement } from './core/row.ts';
import { printableText } from './issue-text.ts';
import type { FilterResult, Hash, RowFilter } from './ports.ts';

export interface FilterOptions {
  /** Expression in JMESPath. Only rows for which its result is exactly `false` are filtered. */
  readonly filter?: string | undefined;
  /** Date, or time with its zone. Rows with an earlier time are filtered. */
  readonly since?: string | undefined;
  /** Paths of members. The names in a path are joined by dots. */
  readonly omit?: readonly string[] | undefined;
}

/** @returns undefined when every row is sent as it is */
export function createRowFilter(
  { filter, omit = [], since }: FilterOptions,
  path: string,
  cut: readonly string[],
  hash: Hash,
): RowFilter | undefined {
  if (filter === undefined && omit.length === 0 && since === undefined) return undefined;
  const paths = omit.map(member => member.split('.'));
  return {
    since: since === undefined ? undefined : Date.parse(since),
    tag: hash(JSON.stringify([filter ?? '', omit.toSorted()])).slice(0, TAG_LENGTH),
    omits: paths.length > 0,
    decide: text => (filter === undefined ? 'send' : evaluate(filter, text)),
    reduce(element) {
      if (paths.length === 0 || !element.isObject) return element;
      const reduced = withoutMembers(element.text, paths);
      return reduced === element.text ? element : rowElement(reduced, path, cut);
    },
  };
}

const TAG_LENGTH = 16;

function evaluate(filter: string, text: string): FilterResult {
  try {
    const result = search(filter, JSON.parse(text));
    if (typeof result === 'boolean') return result ? 'send' : 'filtered';
  } catch {
    // The caller counts the error. The error itself is dropped, because it may quote the row.
  }
  return 'error';
}

const NO_EXPRESSION = 'is not an expression of JMESPath';

/**
 * @returns the problem of the filter as the end of a sentence, or undefined if the filter is valid
 */
export function filterProblem(filter: string): string | undefined {
  try {
    search(filter, {});
  } catch (error) {
    // A function may rightly refuse the empty row, because that row lacks the members of real rows.
    if (!(error instanceof JMESPathTypeError))
      return `${NO_EXPRESSION}: ${printableText((error as Error).message, 200)}`;
  }

  const { bare, quoted, literals } = partsOf(filter);
  const unknown = [...bare.matchAll(/([A-Za-z_]\w*)\s*\(/g)].map(([, name]) => name!).find(isUnknown);
  if (unknown !== undefined) return `${NO_EXPRESSION}: Unknown function: ${printableText(unknown)}()`;

  const inherited = [...quoted, ...(bare.match(/\w+/g) ?? [])].find(name => name in {});
  if (inherited !== undefined)
    return `names ${inherited}, which the library finds in every object, whether the row has such a member or not`;

  return orderProblem(bare, literals);
}

/**
 * Splits an expression into its quoted names, its literals and the rest. In the rest, `#0` replaces
 * the first literal that is not a number.
 */
function partsOf(filter: string) {
  const quoted: string[] = [];
  const literals: string[] = [];
  const bare = filter.replace(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"/g, part => {
    if (part.startsWith('"')) quoted.push(JSON.parse(part));
    return part.startsWith('"') || /^`\s*-?\d/.test(part) ? '@' : `#${literals.push(part) - 1}`;
  });
  return { bare, quoted, literals };
}

/**
 * JMESPath orders only numbers. For other types the result is null for every row, which is never
 * intended.
 */
function orderProblem(bare: string, literals: readonly string[]): string | undefined {
  const unwrapped = bare.replace(/(?<!\w\s*)\(\s*(#\d+)\s*\)/g, '$1');
  const found = /(?<left>[<>]=?)\s*#(?<right>\d+)|#(?<first>\d+)\s*(?<then>[<>]=?)/.exec(unwrapped)?.groups;
  if (!found) return undefined;
  const { left, right, first, then } = found;
  const literal = printableText(literals[Number(right ?? first)]!);
  return `orders by ${left ?? then} with ${literal}, but JMESPath orders numbers only, so the filter would decide nothing: use == or !=, or compare a number`;
}

/**
 * Whether the library does not know a function. The library looks a function up only when it is
 * called, but the evaluation of a sample row may not reach the call.
 */
function isUnknown(name: string): boolean {
  try {
    search(`${name}()`, {});
  } catch (error) {
    return error instanceof UnknownFunctionError;
  }
  return false;
}
