import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';

// Workers, and the processes that tests start, load what another one has compiled.
const cache = mkdtempSync(path.join(tmpdir(), 'compile-cache-'));
process.env.NODE_COMPILE_CACHE = cache;
// Templates too, unless the sources change meanwhile.
if (!process.argv.some(argument => argument.startsWith('--watch'))) process.env.TEMPLATES = cache;
process.once('exit', () => rmSync(cache, { recursive: true, force: true }));

/** Node 24 strips the types itself, so TypeScript runs as ES modules without a transform. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testEnvironment: 'node',
  // One more than cores: suites that wait for a process or a time-out leave theirs idle.
  maxWorkers: availableParallelism() + 1,
  // Ends only what hangs. Tests and hooks set no limit of their own: a busy machine would exceed it.
  testTimeout: 600_000,
  // Modules that were loaded for one file are not all let go after it: a worker that holds too many collects garbage more than it tests.
  workerIdleMemoryLimit: '512MB',
  testSequencer: '<rootDir>/test/longest-first.mjs',
};
