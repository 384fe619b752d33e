/**
 * Describes problems of a value from outside for an error message. The sender chose the names and
 * the values in a payload, a setting or a row. Therefore a name is shown on one line and is cut
 * off, a value is not shown, and a list ends after some entries:
 *
 *     {"\u001b[2J": 1}                     \u{1b}[2J is not known
 *     {"streams": ["a", "b", … 200,000]}   streams must have 100 entries at most
 */
import * as v from 'valibot';

const LONGEST_NAME = 64;
const MOST_ENTRIES = 10;

/**
 * Characters that have no place in a line of text: control and format characters, line separators,
 * halves of surrogate pairs.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** @param longest number of characters that are shown, counted before they are escaped */
export function printableText(text: string, longest = LONGEST_NAME): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(INVISIBLE, character => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Shows the first entries, and the number of further entries. */
export function printableList(entries: readonly string[], separator: string, most = MOST_ENTRIES): string {
  const more = entries.length - most;
  return [...entries.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(separator);
}

/** @param root name of the value as a whole */
export function issueText(issue: v.BaseIssue<unknown>, root: string): string {
  const path = v.getDotPath(issue) ?? root;
  const isUnknown = issue.type === 'strict_object' && issue.expected === 'never';
  // Valibot's own messages end in "but received" and the value. A value must not be shown, so this
  // end is removed.
  return `${printableText(path)} ${isUnknown ? 'is not known' : issue.message.replace(/ but received [\s\S]*$/, '')}`;
}
