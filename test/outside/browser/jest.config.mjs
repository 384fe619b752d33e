/** For `npm run test:browser` alone: its files end in `.browser.ts`, so that `npm test` does not run them. */
export default {
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/outside/browser/**/*.browser.ts'],
  runner: 'jest-light-runner',
  setupFiles: ['<rootDir>/test/support/jest-globals.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // The demo and the browser need a processor each.
  maxWorkers: 1,
};
