/** Node 24 strips the types itself, so TypeScript runs as ES modules without a transform. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  testEnvironment: 'node',
  maxWorkers: 2,
};
