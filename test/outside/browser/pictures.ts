/**
 * `npm run pictures`: the pictures of the documents, from a real run. Beside them it writes a hash
 * of the sources that they show; test/outside/browser/pictures.test.ts compares it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findBrowser } from './browser.ts';
import { type Opened, openDemo } from './opened.ts';
import { HASH_FILE, PICTURES_FOLDER, type Picture, sourcesHash } from './picture-sources.ts';

const demo = await openDemo(findBrowser(process.env), '300ms');
try {
  await mkdir(PICTURES_FOLDER, { recursive: true });
  await takeAll(demo);
  await writeFile(HASH_FILE, `${await sourcesHash()}\n`);
} finally {
  await demo.close();
}

async function takeAll({ page, cause, shows }: Opened): Promise<void> {
  await cause('An asset with a thousand threats is removed');
  await shows("document.querySelector('#script').innerText.includes('1,0')");
  await shows("document.querySelector('#incident-note').innerText.includes(': 20 minutes')");
  await take('removed');

  await cause('The client secret was rotated, and the new one not stored');
  await shows("document.querySelectorAll('#expected [data-fired=true]').length === 3");
  await take('incident');
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await take('dark');
  await page.emulateMediaFeatures([]);
  await page.setViewport({ width: 390, height: 844, deviceScaleFactor: 2 });
  await demo.evaluate("document.querySelector('#incidents').scrollIntoView()");
  await take('phone');
}

async function take(name: Picture): Promise<void> {
  const file = path.join(PICTURES_FOLDER, `${name}.webp`);
  await writeFile(file, await demo.page.screenshot({ type: 'webp', quality: 90 }));
  console.log(path.relative(process.cwd(), file));
}
