/** What surrounds a command: its stack, npm, the region, the network, Node, and the help. */
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { program } from '../cli-reference/page.ts';
import { deployment, STACK } from '../support/deployment.ts';
import { OWN_ENVIRONMENT, processEndpoints } from '../support/process-endpoints.ts';
import { startProcess } from '../support/shell.ts';

test('the option --stack selects a stack by its name and refuses an unknown name', async () => {
  await using each = await deployment();
  expect(await each.ctl(['status', '--stack', STACK])).toMatchObject({ status: 0 });
  const stderr = expect.stringContaining('There is no connector in stack beta in');
  expect(await each.ctl(['pause', '--stack', 'beta'])).toMatchObject({ status: 2, stderr });
});

test('a command does nothing when npm has consumed one of its options', async () => {
  await using each = await deployment();
  const npm = { npm_lifecycle_event: 'connectorctl', npm_config_region: 'true' };
  const stderr = expect.stringContaining('npm consumed --region itself. Nothing was done.');
  expect(await each.ctl(['pause'], npm)).toMatchObject({ status: 2, stderr });
  expect(each.asked()).toEqual([]);
});

test('a command without a region prints a sentence without a stack trace and exits with 1', async () => {
  const { status, stdout, stderr } = await startProcess(['status'], {
    environment: { ...OWN_ENVIRONMENT, AWS_REGION: '' },
  }).ended;
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain(
    'The AWS region is missing or invalid. Use --region, set AWS_REGION, or give your profile a region.',
  );
  expect(stderr).not.toMatch(/^\s+at /m);
});

/**
 * Node 20 as a command meets it: the version that the SDK reads, and the limit of ten listeners on
 * each signal.
 */
const NODE_20 = `
  import { setMaxListeners } from 'node:events';
  Object.defineProperty(process, 'version', { value: 'v20.20.2' });
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super();
      setMaxListeners(10, this.signal);
    }
  };`;

test('the output of a command never contains a warning of Node or the SDK, even on Node 20', async () => {
  await using each = await deployment();
  await using endpoints = await processEndpoints(each);
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(NODE_20)}`;
  const environment = { ...endpoints.environment, NODE_OPTIONS };
  const { stdout, stderr } = await startProcess(['status'], { environment }).ended;
  expect(stdout).toMatch(/^acme: /);
  expect(stderr).toBe('');
});

test('the help names every command, and the help of each command has an example', async () => {
  await using each = await deployment();
  const { status, stdout } = await each.ctl(['--help']);
  expect(status).toBe(0);
  expect(await each.ctl(['help'])).toMatchObject({ stdout });
  for (const command of program.commands) {
    expect(stdout).toMatch(new RegExp(`^ {2}${command.name()}\\b`, 'm'));
    expect(helpOf(command)).toMatch(new RegExp(`^Examples?:\n {2}npm run connectorctl -- ${command.name()}`, 'm'));
  }
});

/** As `--help` would print it, without another process. */
function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: part => void parts.push(part) });
  command.outputHelp();
  return parts.join('');
}
