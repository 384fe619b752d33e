/**
 * Test files run one after the other in bare threads of Node, without a realm of their own
 * (jest-light-runner). Two things that a realm would give are given here: `@jest/globals`, which
 * throws when Node imports it, and an environment that a file may change without effect on the next
 * one.
 */
import { registerHooks } from 'node:module';
import './prompt-zlib.mjs';

// The runner sets it for its own output. A command line under test would print colours.
delete process.env.FORCE_COLOR;

// A thread's streams have no descriptor, but the CDK hands them to the processes that it starts.
Object.assign(process.stdout, { fd: 1 });
Object.assign(process.stderr, { fd: 2 });

const GLOBALS = 'afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test';

/** The runner adds a query to the address of a test file, and of no other file. */
const TEST_FILE = /\.ts\?\d+$/;

const environment = { ...process.env };

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '@jest/globals') return next(specifier, context);

    return { url: `data:text/javascript,export const { ${GLOBALS} } = globalThis;`, shortCircuit: true };
  },

  load(url, context, next) {
    if (TEST_FILE.test(url)) restoreEnvironment();

    return next(url, context);
  },
});

function restoreEnvironment() {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}
