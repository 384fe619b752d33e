/** For `npm run test:siem` alone: its files end in `.siem.ts`, so that `npm test` does not take them up. */
export default {
  rootDir: '../..',
  testMatch: ['<rootDir>/test/siem/**/*.siem.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testEnvironment: 'node',
  // The engines need the second core.
  maxWorkers: 1,
  // Ends only what hangs.
  testTimeout: 600_000,
};
