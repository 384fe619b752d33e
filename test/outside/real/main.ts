/** `npm run test:real`: the tests on third-party software, as far as this machine can run it. */
import { freePort, startPart } from '../../support/parts/start-part.ts';
import { PARTS } from './parts.ts';
import { FETCH } from './run/fetch-part.ts';
import { jest } from './run/jest.ts';
import { LAUNCH } from './run/launch.ts';
import { launch } from './run/launcher.ts';
import { synthesize } from './run/synthesize.ts';
import type { Running } from './running.ts';
import { SUITES } from './suites.ts';

await launch({
  command: 'test:real',
  description:
    'Runs tests on third-party software: DynamoDB Local, moto, Keycloak and Trino, fetched and started here.',
  folder: 'real',
  parts: PARTS,
  suites: SUITES,
  fetch: FETCH,
  async start(part, folder) {
    const { connection, ...launch } = LAUNCH[part](folder, await freePort());
    return { connection: connection as unknown, started: await startPart(launch) };
  },
  async test(suites, parts) {
    const files = suites.map(({ file }) => file);
    const running = parts as Running;
    if (!suites.some(({ bundle }) => bundle)) return jest(files, running);
    await using bundle = await synthesize();
    return await jest(files, { ...running, bundle });
  },
});
