import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { page, ROOT } from '../documents/pages.ts';

const { scripts } = JSON.parse(page('package.json'));
const { app } = JSON.parse(page('cdk.json'));
const COMMANDS = [...Object.values<string>(scripts).filter(command => !command.startsWith('npm run')), app as string];

/** The ways in which a command begins with the check. */
const CHECK =
  /^(?:exec )?node (?:--no-warnings )?(--import \.\/bin\/check-node\.mjs |bin\/check-node\.mjs && |bin\/connectorctl\.mjs)/;
const ONE_OF_EACH_WAY = [...new Map(COMMANDS.map(command => [CHECK.exec(command)?.[1], command])).values()];

test('every command first checks the packages and the version of Node', () => {
  expect(COMMANDS.length).toBeGreaterThan(20);
  expect(COMMANDS.filter(command => !CHECK.test(command))).toEqual([]);
});

let clone: string;
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'clone-'));
  // The entry files are missing, so a command that passes the check by mistake fails.
  for (const file of ['check-node.mjs', 'connectorctl.mjs']) cpSync(join(ROOT, 'bin', file), join(clone, 'bin', file));
});
afterAll(() => rmSync(clone, { recursive: true }));

describe('before npm ci', () => {
  test.each(ONE_OF_EACH_WAY)(
    'the command "%s" asks for npm ci in one sentence if the packages are missing',
    command => {
      const stderr =
        'The packages are not installed: run "npm ci" first, which also installs the Node 24 that this project needs.\n';
      expect(runInClone(command)).toMatchObject({ status: 1, stdout: '', stderr });
    },
  );
});

describe('with an outdated Node', () => {
  /** What such a Node says of itself; the check runs in it before anything else. */
  const OLD = `data:text/javascript,${encodeURIComponent(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
  )}`;

  beforeAll(() => {
    mkdirSync(join(clone, 'node_modules', 'commander'), { recursive: true });
    writeFileSync(join(clone, 'node_modules', 'commander', 'index.js'), '');
  });

  test.each(ONE_OF_EACH_WAY)(
    'the command "%s" on an outdated Node names the required version and how to get it',
    command => {
      const stderr = expect.stringMatching(/^This project needs Node 24, and 20\.20\.2 runs this command: .*\.\n$/);
      expect(runInClone(command, { NODE_OPTIONS: `--import ${OLD}` })).toMatchObject({ status: 1, stdout: '', stderr });
    },
  );
});

function runInClone(command: string, variables = {}) {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables };
  return spawnSync('sh', ['-c', command], { cwd: clone, encoding: 'utf8', env });
}
