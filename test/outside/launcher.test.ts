import { access, glob, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { run } from '../support/parts/command.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';
import { SUITES as BROWSER } from './browser/parts.ts';
import { SUITES as DEPLOY } from './deploy/parts.ts';
import { NODES, suitesOn } from './package/parts.ts';
import { SUITES as REAL } from './real/parts.ts';
import { SUITES as SIEM } from './siems/parts.ts';

const TESTS = join(import.meta.dirname, '..');

test.each([
  ['browser', Object.keys(BROWSER)],
  ['deploy', Object.keys(DEPLOY)],
  ['package', Object.keys(suitesOn(NODES))],
  ['real', Object.keys(REAL)],
  ['siem', Object.keys(SIEM)],
])('the files of npm run test:%s exist, and other files do not have their ending', async (ending, files) => {
  for (const file of files) await access(join(TESTS, file));
  for await (const file of glob(`outside/**/*.${ending}.ts`, { cwd: TESTS })) expect(files).toContain(file);
});

test.each([
  [0, []],
  [1, ['--strict']],
])('a part without its tools is skipped with a reason and the status %i, given %j', async (expected, options) => {
  await using folder = await temporaryFolder('bare-');
  await symlink(process.execPath, join(folder.path, 'node'));
  const command = ['--no-warnings', 'test/outside/deploy/main.ts', ...options];
  const { status, stdout } = await run(process.execPath, command, 120, { environment: { PATH: folder.path } });
  expect(status).toBe(expected);
  expect(stdout).toMatch(/^ministack [\d.]+: SKIPPED, there is no python3/);
});
