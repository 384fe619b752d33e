/**
 * `npm run pictures`: the pictures of the documents, from a real run. Beside them it writes a hash of the sources that they show;
 * test/outside/browser/pictures.test.ts compares it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { findBrowser } from './browser.ts';
import { type Opened, openDemo } from './opened.ts';
import { HASH_FILE, PICTURES_FOLDER, sourcesHash } from './picture-sources.ts';
import { withPalette } from './small-png.ts';

const INCIDENT = 'The service account was disabled';
/** High enough for the alarms of an incident. */
const VIEWPORT = { width: 1280, height: 1120 };

const browser = findBrowser(process.env);
if ('skipped' in browser) {
  console.error(`No pictures: ${browser.skipped}`);
  process.exit(1);
}
const demo = await openDemo({ browser, minute: '300ms', viewport: VIEWPORT });
try {
  await mkdir(PICTURES_FOLDER, { recursive: true });
  await takeAll(demo);
  await writeFile(HASH_FILE, `${await sourcesHash()}\n`);
} finally {
  await demo.close();
}

async function takeAll({ page, cause, repair, until, view, shows }: Opened): Promise<void> {
  // Three hours, so that the dashboard is full.
  await until(({ minute }) => minute >= 180, 'three hours have passed', 200);
  await until(({ distance }) => distance === 0, 'the copy equals the data', 30);
  await picture(page, 'healthy');
  await cause(INCIDENT);
  await until(({ incident }) => incident?.alarms.every(({ fired }) => fired !== null) === true, 'all alarms fire', 50);
  await picture(page, 'incident');
  await repair();
  const isCalm = ({ distance, alarms }: { distance: number; alarms: readonly { state: string }[] }) =>
    distance === 0 && alarms.every(({ state }) => state === 'OK');
  await until(isCalm, 'every alarm has ended', 120);
  await picture(page, 'repaired');
  await page.evaluate("document.querySelector('header').style.position = 'static'");
  await page.$eval('#dashboard', each => each.scrollIntoView());
  const { minute } = await view();
  await shows(`Number(document.querySelector('#dashboard').dataset.minute) > ${minute}`);
  await shot(page, 'dashboard', '.board');
}

async function picture(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)');
  await shot(page, name);
}

async function shot(page: Page, name: string, selector?: string): Promise<void> {
  const file = path.join(PICTURES_FOLDER, `${name}.png`);
  const place = selector ? await page.$(selector) : page;
  await writeFile(file, withPalette(await place!.screenshot()));
  console.log(path.relative(process.cwd(), file));
}
