/** The packed file in apps that `cdk init` makes. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { synthesize } from '../../stack/synth.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { part, running } from '../running.ts';
import { addExample, idsOf, initApp, initNext, LOWEST, OF_CLONE, synth, testApp } from './apps.ts';
import { pack } from './pack.ts';
import { NODES, nodeIn } from './parts.ts';
import { type Place, succeed } from './run.ts';

const [FIRST, ...OTHERS] = ['own-app', 'many-organizations', 'pipeline', 'platform-team'] as const;

let folder: TemporaryFolder;
let packed: string;
beforeAll(async () => {
  folder = await temporaryFolder('package-');
  packed = (await pack(folder.path)).file;
});
afterAll(async () => folder[Symbol.asyncDispose]());

/** An app with the first example, in a folder of its own. */
async function firstApp(name: string, versions: readonly string[], node?: string): Promise<Place> {
  const parent = path.join(folder.path, name);
  mkdirSync(parent);
  const app = await initApp(FIRST, packed, { folder: parent, ...(node && { node }) }, versions);
  addExample(app);
  return app;
}

async function expectIdsOfClone(app: Place): Promise<void> {
  await succeed('npx', ['--no', 'tsc'], app);
  const [template] = await synth(app);
  expect(idsOf(template!)).toEqual(idsOf(synthesize({ alarmEmail: 'on-call@acme.example' })));
}

describe.each(NODES.filter(name => running()[name]))('an app on %s', name => {
  let app: Place;
  beforeAll(async () => {
    app = await firstApp(name, OF_CLONE, nodeIn(part(name).folder));
  });

  test('an app compiles, has the logical ids of the clone, and can start connectorctl', async () => {
    await expectIdsOfClone(app);
    await succeed('npx', ['--no', '--', 'connectorctl', '--version'], app);
  });

  test('an app can test its stack with the jest that cdk init sets up', async () => {
    await testApp(app);
  });

  // They use the packages of the app before them.
  test.each(OTHERS)('the example %s is synthesized in an app', async example => {
    app = await initNext(example, app);
    addExample(app);
    expect((await synth(app)).length).toBeGreaterThan(0);
  });
});

test(`an app with ${LOWEST.join(' and ')} has the logical ids of the clone`, async () => {
  await expectIdsOfClone(await firstApp('lowest-peers', LOWEST));
});
