/** For `npm run test:real` alone: its files end in `.real.ts`, so that `npm test` does not take them up. */
export default {
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/outside/real/**/*.real.ts', '<rootDir>/test/{rules,adapters,function}/**/*.test.ts'],
  runner: 'jest-light-runner',
  setupFiles: ['<rootDir>/test/support/jest-globals.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // Most of them wait for parts.
  maxWorkers: 3,
  // jest appends its summary as the last of all.
  reporters: ['default', '<rootDir>/test/outside/real/parts-reporter.ts'],
};
