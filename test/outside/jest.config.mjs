/**
 * For the launcher alone: the files end in `.real.ts` and `.siem.ts`, so that `npm test` does not
 * take them up.
 */
import base from '../../jest.config.mjs';

export default { ...base, rootDir: '../..', testMatch: ['<rootDir>/test/**/*.ts'] };
