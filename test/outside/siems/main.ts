/** `npm run test:siem`: the files of `siem/` on the engines and validators that this machine can run. */

import { freePort, startPart } from '../../support/parts/start-part.ts';
import { runJest } from '../real/run/jest.ts';
import { launch } from '../real/run/launcher.ts';
import { PARTS, type Part, type PartName, SUITES, VARIABLE } from './parts.ts';
import { FETCH, isServer, LAUNCH } from './ready.ts';

await launch({
  command: 'test:siem',
  description: 'Runs the files of siem/ on third-party engines and validators, fetched and started here.',
  folder: 'siem',
  parts: PARTS,
  suites: SUITES,
  fetch: FETCH,
  async start(name: PartName, folder) {
    if (!isServer(name)) return { connection: { folder } };
    const launch = await LAUNCH[name](folder, await freePort(), await freePort());
    const connection: Part = { folder, url: launch.health };
    return { connection, started: await startPart(launch) };
  },
  test(suites, parts) {
    const files = suites.map(({ file }) => `test/outside/siems/${file}`);
    return runJest('test/outside/siems/jest.config.mjs', files, { [VARIABLE]: JSON.stringify(parts) });
  },
});
