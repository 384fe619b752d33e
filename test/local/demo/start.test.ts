import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { closeServer, listenOnLoopback } from '../../../local/api-simulator/server.ts';
import { run } from '../../support/parts/command.ts';

test('a port in use is reported in one sentence that names the option for another port', async () => {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server, 0));
  const args = ['--no-warnings', 'local/demo.ts', '--port', port];
  expect(await run(process.execPath, args, 60)).toMatchObject({
    status: 2,
    stderr: `Nothing was started: port ${port} is in use. Choose another one with --port, or none for any free one.\n`,
  });
  await closeServer(server);
});
