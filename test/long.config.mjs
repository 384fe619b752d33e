/**
 * For `npm run test:long`: tests that take many processes, or hundreds of runs, and would make `npm
 * test` half as long again.
 */
import base from '../jest.config.mjs';

export default { ...base, rootDir: '..', testMatch: ['<rootDir>/test/**/*.long.ts'] };
