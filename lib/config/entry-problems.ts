/** The problems of one connector, in `cdk.json` and among props. */
import { certificatesProblems } from './certificates.ts';
import { contradictionsIn, type Entry } from './contradictions.ts';
import type { Problem } from './problem.ts';

/**
 * Adds to the problems of single options those of options that are wrong together. Options with a problem of their own are left out of these.
 *
 * @param folder that paths are relative to: the folder of cdk.json
 */
export function entryProblems(entry: object, wrong: readonly Problem[], folder: string) {
  const wrongOptions = new Set(wrong.map(({ path }) => path.split(/[.[]/)[0]));
  const sound: Entry = Object.fromEntries(Object.entries(entry).filter(([option]) => !wrongOptions.has(option)));
  return { sound, problems: [...wrong, ...contradictionsIn(sound), ...certificatesProblems(sound, folder)] };
}
