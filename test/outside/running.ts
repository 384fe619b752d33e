/** How test files reach the third-party software that their launcher has started. */

/** The launcher passes the parts in this variable. */
export const VARIABLE = 'PARTS';

/** Third-party software that was fetched, and started if it is a server. */
export interface RunningPart {
  readonly folder: string;
  /** Empty if it is not a server. */
  readonly url: string;
}

/** The parts of this run by name. `npm test` has none. */
export function running(): Readonly<Record<string, RunningPart | undefined>> {
  return JSON.parse(process.env[VARIABLE] ?? '{}');
}

/**
 * A part that the test file cannot do without: the launcher skips the file where the part is not
 * available.
 */
export function part(name: string): RunningPart {
  const found = running()[name];
  if (!found) throw new Error(`${name} is not running. Start this file by its npm script.`);
  return found;
}
