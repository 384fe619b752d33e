import { access, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SUITES as REAL } from './real/parts.ts';
import { SUITES as SIEM } from './siems/parts.ts';

const TESTS = join(import.meta.dirname, '..');

test.each([
  ['real', Object.keys(REAL)],
  ['siem', Object.keys(SIEM)],
])('the files of npm run test:%s exist, and other files do not have their ending', async (ending, files) => {
  for (const file of files) await access(join(TESTS, file));
  for await (const file of glob(`outside/**/*.${ending}.ts`, { cwd: TESTS })) expect(files).toContain(file);
});
