/**
 * Finds the problems in the options of one connector, whether they come from `cdk.json` or from
 * props of the construct.
 */
import { certificatesProblems } from './certificates.ts';
import { type ConnectorEntry, contradictionsIn } from './contradictions.ts';
import type { Problem } from './problem.ts';

/**
 * Adds the problems of options that contradict each other. Options that already have a problem are
 * not compared.
 *
 * @param folder folder of cdk.json, to which paths are relative
 */
export function entryProblems(entry: object, wrong: readonly Problem[], folder: string) {
  const wrongOptions = new Set(wrong.map(({ path }) => path.split(/[.[]/)[0]));
  const sound: ConnectorEntry = Object.fromEntries(
    Object.entries(entry).filter(([option]) => !wrongOptions.has(option)),
  );
  return { sound, problems: [...wrong, ...contradictionsIn(sound), ...certificatesProblems(sound, folder)] };
}
