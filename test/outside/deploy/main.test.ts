import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { run } from '../../support/parts/command.ts';
import { temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { readOptions } from './options.ts';
import { STORY_NAMES } from './stories.ts';

/** Runs the command on a machine that has nothing but Node. */
async function onBareMachine(...args: readonly string[]) {
  await using folder = await temporaryFolder('bare-');
  await symlink(process.execPath, join(folder.path, 'node'));
  const command = ['--no-warnings', 'test/outside/deploy/main.ts', ...args];
  return await run(process.execPath, command, 120, { environment: { PATH: folder.path } });
}

test('the deploy test without Python is skipped with a reason, and fails only with --strict', async () => {
  const [skipped, strict] = await Promise.all([onBareMachine(), onBareMachine('--strict')]);
  expect([skipped.status, strict.status]).toEqual([0, 1]);
  expect(skipped.stdout).toMatch(/^SKIPPED ministack [\d.]+: there is no python3/);
  expect(strict.stdout).toContain('SKIPPED');
});

test('the deploy test plays the named stories, the bounded stories with --bounded, or all stories', () => {
  expect(readOptions([], {}).stories).toEqual(STORY_NAMES);
  expect(readOptions(['--bounded'], {}).stories).toEqual(['life', 'reader', 'runbook', 'without-cdk']);
  expect(readOptions(['upgrade', '--bounded'], {}).stories).toEqual(['upgrade']);
});

test('an unknown story is refused before anything is downloaded', async () => {
  const { status, stderr } = await onBareMachine('lif');
  expect([status, stderr]).toEqual([2, expect.stringContaining('there is no story lif: life, reader,')]);
});
