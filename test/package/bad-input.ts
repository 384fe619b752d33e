/** What somebody reads who installed the package where it cannot work: one sentence, at synth. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { ROOT } from '../docs/pages.ts';
import { fetchNode } from './fetch.ts';
import { PARTS } from './parts.ts';
import { fail, type Place, succeed } from './run.ts';

export interface BadInput {
  readonly name: string;
  /** What the sentence must say. */
  readonly sentence: string;
  /** Prepares an app in an empty folder. @returns the `node` that runs it */
  readonly prepare: (folder: string, packed: string, cache: string) => Promise<string>;
}

const { name: PACKAGE, peerDependencies } = manifest;
const LOWEST = peerDependencies['aws-cdk-lib'];
const NEED = `${PACKAGE} needs aws-cdk-lib ${LOWEST.slice(1)} or a later 2.x`;
const REMEDY = `run "npm install aws-cdk-lib@${LOWEST}" in the folder of your app.`;
/** By which the package is not installed together with what it needs. */
const ALONE = '--legacy-peer-deps';

export const BAD_INPUT: readonly BadInput[] = [
  {
    name: 'a missing peer',
    sentence: `${NEED}, and it is not installed: ${REMEDY}`,
    prepare: async (folder, packed) => install(folder, [ALONE, packed]),
  },
  {
    name: 'an aws-cdk-lib that is too old',
    sentence: `${NEED}, and ${PARTS.oldCdk} is installed: ${REMEDY}`,
    prepare: async (folder, packed) => install(folder, [ALONE, packed, `aws-cdk-lib@${PARTS.oldCdk}`, 'constructs']),
  },
  {
    name: 'an aws-cdk-lib of another major version',
    sentence: `${NEED}, and 3.0.0 is installed: ${REMEDY}`,
    async prepare(folder, packed) {
      const node = await install(folder, [packed]);
      // There is none in the registry yet.
      const file = path.join(folder, 'node_modules', 'aws-cdk-lib', 'package.json');
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: '3.0.0' }));
      return node;
    },
  },
  {
    name: 'a Node that is too old',
    sentence: `${PACKAGE} needs Node 20.19.0 or a later 20.x, or 22.12.0 or later, and Node ${PARTS.oldNode} runs it.`,
    async prepare(folder, packed, cache) {
      await install(folder, [packed]);
      return path.join(await fetchNode(PARTS.oldNode, cache), 'node');
    },
  },
  {
    name: 'two connectors with one name',
    sentence:
      'props.connectorName: "acme" is also the name of One/Connector, and alarms, metrics and exports of one account and region are named after it',
    prepare: (folder, packed) => install(folder, [packed]),
  },
];

/** Nothing of the app is compiled, so that what the package says comes first. */
const APP = `
const { SecurityDataConnector } = require('${PACKAGE}');
const { App, Stack } = require('aws-cdk-lib');
const app = new App();
const props = {
  connectorName: 'acme',
  baseUrl: 'https://api.security-data.example',
  authUrl: 'https://auth.security-data.example/realms/acme',
};
for (const id of ['One', 'Two']) new SecurityDataConnector(new Stack(app, id), 'Connector', props);
`;

async function install(folder: string, args: readonly string[]): Promise<string> {
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "app", "private": true }');
  await succeed('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...args], { folder });
  return process.execPath;
}

/** @returns the sentence as it was written */
export async function assertSentence(
  { name, sentence, prepare }: BadInput,
  { packed, cache, folder: parent }: Place & { packed: string; cache: string },
): Promise<string> {
  const folder = path.join(parent, name.replaceAll(/\W+/g, '-'));
  mkdirSync(folder);
  const node = await prepare(folder, packed, cache);
  writeFileSync(path.join(folder, 'app.js'), APP);
  const cdk = path.join(ROOT, 'node_modules', '.bin', 'cdk');
  const { output } = await fail(cdk, ['synth', '--quiet', '--app', `${node} app.js`], { folder });
  const line = output.split('\n').find(each => each.includes(sentence));
  assert.ok(line, `"${sentence}" is not in\n${output}`);
  return sentence;
}
