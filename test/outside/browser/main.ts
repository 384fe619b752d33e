/** `npm run test:browser`: the demo's page in a real browser. */
import { launch } from '../launcher.ts';
import { PARTS, SUITES } from './parts.ts';

await launch({
  command: 'test:browser',
  description: 'Tests the page of the demo in Chromium: incidents, keyboard, layout, accessibility.',
  parts: PARTS,
  suites: () => SUITES,
});
