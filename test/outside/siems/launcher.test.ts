import { access, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PART_NAMES, part, running, SUITES, VARIABLE } from './parts.ts';

test('every test file of the run exists, belongs to a suite, and needs parts that exist', async () => {
  for (const { file } of SUITES) await access(join(import.meta.dirname, file));
  const found: string[] = [];
  for await (const file of glob('*.siem.ts', { cwd: import.meta.dirname })) found.push(file);
  expect(found.sort()).toEqual(SUITES.map(({ file }) => file).sort());
  expect(PART_NAMES.filter(name => !SUITES.some(({ needs }) => needs.includes(name)))).toEqual([]);
});

test('a test file gets the available parts from the launcher, and fails with a message without it', () => {
  expect(running({ [VARIABLE]: '{"kusto":{"folder":"x"}}' })).toEqual({ kusto: { folder: 'x' } });
  expect(() => part('kusto')).toThrow('npm run test:siem');
});
