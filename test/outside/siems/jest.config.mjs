/** For `npm run test:siem` alone: its files end in `.siem.ts`, so that `npm test` does not take them up. */
export default {
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/outside/siems/**/*.siem.ts'],
  runner: 'jest-light-runner',
  setupFiles: ['<rootDir>/test/support/jest-globals.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // The engines need the second core.
  maxWorkers: 1,
};
