/** For `npm run test:browser` alone: its files end in `.browser.ts`, so that `npm test` does not run them. */
export default {
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/**/*.browser.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testEnvironment: 'node',
  // The demo and the browser need a processor each.
  maxWorkers: 1,
  // Ends only what hangs.
  testTimeout: 5_400_000,
};
