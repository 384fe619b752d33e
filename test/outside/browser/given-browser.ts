import type { Browser } from './browser.ts';

/** In which the launcher gives the browser to the tests. */
export const BROWSER_VARIABLE = 'BROWSER_UNDER_TEST';

export function givenBrowser(): Browser {
  const given = process.env[BROWSER_VARIABLE];
  if (!given) throw new Error('These tests are started by "npm run test:browser".');
  return JSON.parse(given) as Browser;
}
