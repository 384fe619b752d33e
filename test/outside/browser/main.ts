/** `npm run test:browser`: the demo's page in a real browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { argumentsOrExit } from '../../../local/npm-command.ts';
import { findBrowser } from './browser.ts';
import { BOUNDED_VARIABLE, BROWSER_VARIABLE } from './given-browser.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

interface Flags {
  readonly strict: boolean;
  readonly bounded: boolean;
  readonly hour: boolean;
}

const { flags, operands } = argumentsOrExit<Flags>(() =>
  new Command('npm run test:browser --')
    .description('Tests the page of the demo in Chromium: every incident, accessibility, keyboard, memory.')
    .argument('[files...]', 'only test files whose path contains one of these')
    .option('--strict', 'fail when there is no Chromium, instead of skipping the tests', false)
    .option('--bounded', 'an incident of each kind, instead of all', false)
    .option('--hour', 'run the demo for an hour, and measure its memory and the page', false),
);
const { strict, bounded, hour } = flags;

const browser = findBrowser(process.env);
if ('skipped' in browser) {
  console.log(`SKIPPED test:browser: ${browser.skipped}`);
  process.exit(strict ? 1 : 0);
}
console.log(`Chromium: ${browser.how}, ${browser.path}`);
const wanted = hour ? ['hour.browser.ts'] : operands;
const files = globSync('test/outside/browser/*.browser.ts', { cwd: ROOT }).filter(file =>
  wanted.length === 0 ? !file.includes('hour.') : wanted.some(each => file.includes(each)),
);
const jest = ['--no-warnings', 'node_modules/jest/bin/jest.js'];
const args = [...jest, '--config', 'test/outside/browser/jest.config.mjs', '--runTestsByPath', ...files];
const env = { ...process.env, [BROWSER_VARIABLE]: JSON.stringify(browser), [BOUNDED_VARIABLE]: bounded ? 'yes' : '' };
const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' });
const [code] = (await once(child, 'close')) as [number | null];
process.exitCode = code ?? 1;
