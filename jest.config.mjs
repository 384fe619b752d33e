import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';

// Templates are synthesized once for all workers, unless the sources change meanwhile.
const templates = mkdtempSync(path.join(tmpdir(), 'templates-'));
if (!process.argv.some(argument => argument.startsWith('--watch'))) process.env.TEMPLATES = templates;
process.once('exit', () => rmSync(templates, { recursive: true, force: true }));

// Threads and processes of tests load the same modules again and again. Node keeps them compiled, with their types stripped.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

/** Node 24 strips the types itself, so TypeScript runs as ES modules without a transform. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // The built package has the name of the clone, of which Jest would warn.
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // Runs the files in threads of bare Node. Jest's own runner gives each file a realm of its own, which takes half of the CPU. Not with child
  // processes (`jest-light-runner/child-process`): a process that starts late may wait for its first message for ever.
  runner: 'jest-light-runner',
  setupFiles: ['<rootDir>/test/support/jest-globals.mjs'],
  // One more than cores: suites that wait for a process or a time-out leave theirs idle.
  maxWorkers: availableParallelism() + 1,
};
