/** Starts a part by its name, or gives the reason why it cannot run. */

import { CommandError } from '../../support/parts/command.ts';
import { freePort, type StartedPart, startPart } from '../../support/parts/start-part.ts';
import { lacking } from '../../support/parts/tools.ts';
import { PARTS, type PartName } from '../parts.ts';
import type { Running } from '../running.ts';
import { fetchPart } from './fetch-part.ts';
import { LAUNCH } from './launch.ts';
import type { Options } from './options.ts';

export type Ready =
  | { readonly skipped: string }
  | { readonly connection: Running[PartName]; readonly started: StartedPart; readonly how: string };

/** @throws PartFailedError */
export async function readyPart(part: PartName, { without, cache }: Options): Promise<Ready> {
  if (without.includes(part)) return { skipped: 'left out' };
  const lack = await lacking(PARTS[part].tools);
  if (lack) return { skipped: lack };
  const begun = performance.now();
  const fetched = await fetchPart(part, cache).catch((error: unknown) => {
    if (error instanceof CommandError) return { skipped: `could not be fetched: ${error.message}` };
    throw error;
  });
  if ('skipped' in fetched) return fetched;
  const here = performance.now();
  const launch = LAUNCH[part](fetched.folder, await freePort());
  const started = await startPart(launch);
  const got = fetched.cached ? 'from the cache' : `fetched in ${seconds(here - begun)}`;
  return { connection: launch.connection, started, how: `${got}, started in ${seconds(performance.now() - here)}` };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
