/** For `npm run test:real` alone: its files end in `.real.ts`, so that `npm test` does not take them up. */
export default {
  rootDir: '../..',
  testMatch: ['<rootDir>/test/real/**/*.real.ts', '<rootDir>/test/{lambda,lib,docs}/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testEnvironment: 'node',
  // Most of them wait for parts.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/longest-first.mjs',
  // Ends only what hangs: real parts take their time, above all on a machine that has other things to do.
  testTimeout: 600_000,
  // jest appends its summary as the last of all.
  reporters: ['default', '<rootDir>/test/real/parts-reporter.ts'],
};
