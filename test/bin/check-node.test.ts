import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { page, ROOT } from '../docs/pages.ts';

const { scripts } = JSON.parse(page('package.json'));
const { app } = JSON.parse(page('cdk.json'));
/** Each command of the project, as a shell runs it. */
const COMMANDS: readonly (readonly [name: string, command: string])[] = [
  ...Object.entries<string>(scripts).filter(([, command]) => !command.startsWith('npm run')),
  ['cdk', app],
];

let clone: string;
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'clone-'));
  // No entry is there: a command that passes the check by mistake ends at once.
  for (const file of ['check-node.mjs', 'connectorctl.mjs']) cpSync(join(ROOT, 'bin', file), join(clone, 'bin', file));
});
afterAll(() => rmSync(clone, { recursive: true }));

describe('without npm ci', () => {
  test.each(COMMANDS)('%s says in one sentence that npm ci comes first', (_, command) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: clone, encoding: 'utf8', env: ENV });
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      'The packages are not installed: run "npm ci" first, which also installs the Node 24 that this project needs.\n',
    ]);
  });
});

describe('on a Node that is too old', () => {
  /** What such a Node says of itself; the check runs in it before anything else. */
  const OLD = `data:text/javascript,${encodeURIComponent(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })",
  )}`;

  beforeAll(() => {
    mkdirSync(join(clone, 'node_modules', 'commander'), { recursive: true });
    writeFileSync(join(clone, 'node_modules', 'commander', 'index.js'), '');
  });

  test.each(COMMANDS)('%s names the Node that it needs, and the way to it', (_, command) => {
    const env = { ...ENV, NODE_OPTIONS: `--import ${OLD}` };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: clone, encoding: 'utf8', env });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^This project needs Node 24, and 20\.20\.2 runs this command: .*\.\n$/);
  });
});

const ENV = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
