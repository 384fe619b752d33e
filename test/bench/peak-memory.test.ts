import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const MODULE = path.join(import.meta.dirname, '..', '..', 'bench', 'resources.ts');
const PEAK = `import { peakMegabytes } from ${JSON.stringify(MODULE)}; console.log(peakMegabytes());`;
const HOG = `
import { execFileSync } from 'node:child_process';
const held = Buffer.alloc(400e6, 1);
console.log(String(execFileSync(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(PEAK)}])), held.length);`;

const peakFrom = (script: string) =>
  Number.parseFloat(String(execFileSync(process.execPath, ['--input-type=module', '-e', script])));

test('the peak memory of a process is its own, not that of the process that started it', () => {
  expect(peakFrom(PEAK)).toBeGreaterThan(20);
  expect(peakFrom(HOG)).toBeLessThan(200);
});
