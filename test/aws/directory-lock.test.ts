import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { lockDirectory } from '../../local/aws/directory-lock.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';

test('a folder that a running process has locked cannot be locked again before its release', async () => {
  await using folder = await temporaryFolder('lock-');
  const release = await lockDirectory(folder.path);
  await expect(lockDirectory(folder.path)).rejects.toMatchObject({ name: 'DirectoryInUseError' });

  await release();
  await (await lockDirectory(folder.path))();
});

test('the lock of a killed process is taken over', async () => {
  await using folder = await temporaryFolder('lock-');
  const { pid } = spawnSync(process.execPath, ['--version']);
  await writeFile(join(folder.path, 'in-use-by.pid'), String(pid));

  await (await lockDirectory(folder.path))();
});
