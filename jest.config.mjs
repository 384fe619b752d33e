/** Node 24 strips the types itself, so TypeScript runs as ES modules without a transform. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testEnvironment: 'node',
  maxWorkers: 2,
  // How fast the machine is, and what else it does, is no fault of a test: only one that hangs is ended.
  testTimeout: 120_000,
  // Modules that were loaded for one file are not all let go after it: a worker that holds too many collects garbage more than it tests.
  workerIdleMemoryLimit: '512MB',
  testSequencer: '<rootDir>/test/longest-first.mjs',
};
