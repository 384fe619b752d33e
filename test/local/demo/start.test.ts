import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { closeServer, listenOnLoopback } from '../../../local/api-simulator/server.ts';
import { ROOT } from '../../documents/pages.ts';

const PROGRAM = ['--no-warnings', path.join(ROOT, 'local', 'demo.ts')];

test('a port in use is named in one sentence, with the option that changes it', async () => {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server, 0));
  await expect(promisify(execFile)(process.execPath, [...PROGRAM, '--port', port])).rejects.toMatchObject({
    code: 2,
    stderr: `Nothing was started: port ${port} is in use. Choose another one with --port, or none for any free one.\n`,
  });
  await closeServer(server);
});

test('SIGTERM ends npm run demo and the process behind it, also while it starts', async () => {
  const npm = spawn('npm', ['run', '--silent', 'demo'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(npm, 'close');
  for await (const _line of createInterface({ input: npm.stdout })) break;
  npm.kill('SIGTERM');
  // The pipe closes when no process holds it any more.
  await ended;
  expect(npm.exitCode ?? npm.signalCode).not.toBe(0);
});
