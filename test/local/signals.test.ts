import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { page, ROOT } from '../documents/pages.ts';
import { endGroup } from '../support/parts/command.ts';
import { temporaryFolder } from '../support/parts/temporary-folder.ts';

/** Whether a process of the group is left. */
function isRunning(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

test.each(['start', 'demo', 'api-simulator'])('npm runs %s without a shell that would keep its signals', name => {
  expect(JSON.parse(page('package.json')).scripts[name]).toMatch(/^exec node /);
});

test.each([
  ['run --silent demo', 'SIGTERM', /Synthesizing/],
  ['start -- --assets 5000 --threats 0 --dns-blocks 0 --page-limit 100', 'SIGINT', /assets: \d+ page/],
] as const)('npm %s leaves no process behind when only npm gets %s', async (command, signal, ready) => {
  await using folder = await temporaryFolder('signals-');
  const args = [...command.split(' '), ...(command.startsWith('start') ? ['--state-folder', folder.path] : [])];
  const npm = spawn('npm', args, { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    let shown = '';
    for await (const chunk of npm.stdout.iterator({ destroyOnReturn: false })) {
      shown += chunk;
      if (ready.test(shown)) break;
    }
    npm.stdout.resume();
    npm.kill(signal);
    await once(npm, 'exit');
    expect(isRunning(npm.pid!)).toBe(false);
  } finally {
    endGroup(npm.pid!, 'SIGKILL');
  }
});
