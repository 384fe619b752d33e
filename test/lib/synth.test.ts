import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createApp } from './synth.ts';

test('two runs of the tests synthesize into folders of their own', () => {
  const own = createApp().outdir;
  const script = `import { createApp } from '${path.join(import.meta.dirname, 'synth.ts')}'; console.log(createApp().outdir);`;
  // A worker of the other run has the same number.
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  const other = stdout.trim();
  expect(path.dirname(other)).toBe(path.dirname(own));
  expect(other).not.toBe(own);
});
