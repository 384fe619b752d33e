/** `npm run test:browser`: the demo's page in a real browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Command } from 'commander';
import { readArgumentsOrExit } from '../../../local/npm-command.ts';
import { findBrowser } from './browser.ts';
import { BROWSER_VARIABLE } from './given-browser.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const { flags } = readArgumentsOrExit<{ readonly strict: boolean }>(() =>
  new Command('npm run test:browser --')
    .description('Tests the page of the demo in Chromium: incidents, keyboard, layout, accessibility.')
    .option('--strict', 'fail when there is no Chromium, instead of skipping the tests', false),
);

const browser = findBrowser(process.env);
if ('skipped' in browser) {
  console.log(`SKIPPED test:browser: ${browser.skipped}`);
  process.exit(flags.strict ? 1 : 0);
}
console.log(`Chromium: ${browser.how}, ${browser.path}`);
const jest = ['--no-warnings', 'node_modules/jest/bin/jest.js'];
const args = [...jest, '--config', 'test/outside/browser/jest.config.mjs'];
const env = { ...process.env, [BROWSER_VARIABLE]: JSON.stringify(browser) };
const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' });
const [code] = (await once(child, 'close')) as [number | null];
process.exitCode = code ?? 1;
