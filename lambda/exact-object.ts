/**
 * Schemas of objects whose members are all known. The message about an unknown member suggests the
 * known member that is probably meant.
 */
import * as v from 'valibot';

/**
 * Longest name that is compared with the known names. A longer name resembles none of them, and
 * comparing it takes long.
 */
const LONGEST_NAME = 64;

/**
 * Creates the schema of a strict object of valibot, with messages for people:
 *
 *     exactObject({ pageLimit: … })      {"pagelimit": 5}      is not an option; did you mean pageLimit?
 *
 * @param noun word for a member, for example "an alarm"; if it is given, the message also lists all
 * known members
 */
export function exactObject<E extends v.ObjectEntries>(entries: E, noun?: string) {
  const known = Object.keys(entries);

  return v.strictObject(entries, ({ expected, input }) => {
    if (expected === 'Object') return 'must be an object';
    if (expected !== 'never') return 'is required';

    const similar = similarName(String(input), known);
    const reason = `is not ${noun ?? 'an option'}${similar ? `; did you mean ${similar}?` : ''}`;
    return noun ? `${reason}${similar ? '' : '.'} Known: ${known.join(', ')}` : reason;
  });
}

/** Finds the known name that a misspelt name most likely stands for. */
function similarName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;

  const lower = name.toLowerCase();
  const ranked = known
    .map(candidate => ({ candidate, distance: distanceBetween(lower, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.min(name.length, candidate.length) / 3))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Counts the characters to add, remove or change in the first word to get the second word. */
function distanceBetween(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);

  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const change = last[j]! + (a[i] === b[j] ? 0 : 1);
      row.push(Math.min(change, last[j + 1]! + 1, row[j]! + 1));
    }
    last = row;
  }

  return last[b.length]!;
}
