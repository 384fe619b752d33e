/** `npm run test:deploy`: the connector, deployed onto an emulator of AWS and operated there. */
import { Option } from 'commander';
import { launch } from '../launcher.ts';
import { BOUNDED_SUITES, PARTS, SUITES } from './parts.ts';

await launch<keyof typeof PARTS, { readonly bounded: boolean }>({
  command: 'test:deploy',
  description: 'Deploys the connector onto a third-party emulator of AWS, fetched and started here, and operates it.',
  parts: PARTS,
  options: [new Option('--bounded', 'only what fits into about four minutes').default(false)],
  suites({ bounded }) {
    // For the tests, which leave out their longest steps.
    if (bounded) process.env['BOUNDED'] = 'true';
    return bounded ? BOUNDED_SUITES : SUITES;
  },
  // The stories share the emulator, and each empties it before it begins.
  maxWorkers: 1,
});
