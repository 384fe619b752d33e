import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { closeServer, listen } from '../../../local/api-simulator/server.ts';
import { ROOT } from '../../documents/pages.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'demo-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

function demo(...args: string[]): Promise<unknown> {
  const program = ['--no-warnings', path.join(ROOT, 'local', 'demo.ts'), ...args];
  return promisify(execFile)(process.execPath, program, { cwd: folder });
}

test('a port in use is named in one sentence, with the option that changes it', async () => {
  const server = createServer();
  const { port } = new URL(await listen(server, 0));
  await expect(demo('--port', port)).rejects.toMatchObject({
    code: 2,
    stderr: `Nothing was started: port ${port} is in use. Choose another one with --port, or none for any free one.\n`,
  });
  await closeServer(server);
});

test('a folder that cannot be written is named in one sentence, before anything is started', async () => {
  await rm(path.join(folder, '.local'), { recursive: true, force: true });
  await writeFile(path.join(folder, '.local'), 'a file');
  await expect(demo()).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^Nothing was started: the folder \.local cannot be written \(\w+\)\. [^\n]*\n$/),
  });
  expect(await readdir(folder)).toEqual(['.local']);
});
