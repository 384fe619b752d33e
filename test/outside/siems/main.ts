/**
 * `npm run test:siem`: the files of `siem/` on the engines and validators that this machine can
 * run.
 */
import { launch } from '../launcher.ts';
import { PARTS, SUITES } from './parts.ts';

await launch({
  command: 'test:siem',
  description: 'Runs the files of siem/ on third-party engines and validators, fetched and started here.',
  parts: PARTS,
  suites: () => SUITES,
});
