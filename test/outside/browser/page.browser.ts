import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { INCIDENT_GROUPS } from '../../../local/demo/buttons.ts';
import { givenBrowser } from './given-browser.ts';
import { type Opened, openDemo } from './opened.ts';

/** By script, because the list moves. */
const CLICK_CHANGE = "document.querySelector('#changes button').click()";
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let demo: Opened;

beforeAll(async () => {
  demo = await openDemo({ browser: givenBrowser(), minute: '100ms' });
  await demo.page.waitForSelector('#changes button');
});

afterAll(() => demo?.close());

test('the page shows what the server sends: rows of each stream, distance, alarms, widgets', async () => {
  const { page } = demo;
  const { streams, alarms } = await demo.view();
  const names = await page.$$eval('#siem-streams tbody th', cells => cells.map(each => each.textContent));
  expect(names).toEqual(streams.map(({ name }) => name));
  expect(await page.$$eval('#all-alarms li', items => items.length)).toBe(alarms.length);
  const buttons = await page.$$eval('[data-incident] span', each => each.map(name => name.textContent));
  expect(buttons).toEqual(INCIDENT_GROUPS.flatMap(({ incidents }) => incidents.map(({ name }) => name)));
  await page.$eval('#dashboard', each => each.scrollIntoView());
  await page.waitForSelector('.widget canvas');
  const widgets = (await (await fetch(new URL('dashboard', demo.url))).json()) as { widget: { title?: string } }[];
  const titles = widgets.flatMap(({ widget }) => widget.title ?? []);
  expect(await page.$$eval('#dashboard figcaption', each => each.map(({ textContent }) => textContent))).toEqual(
    titles,
  );
});

test('a click on a changed row explains it: its versions, its events, the state of the connector', async () => {
  const { page } = demo;
  await page.waitForSelector('#changes button');
  await demo.evaluate(CLICK_CHANGE);
  await page.waitForSelector('dialog[open] #row-versions pre, dialog[open] #row-events pre');
  expect(await page.$eval('#row-summary', each => each.textContent)).toMatch(/\w+\.$/);
  await page.keyboard.press('Escape');
  await demo.shows("!document.querySelector('dialog').open");
});

test('a row that nobody knows is answered by a sentence', async () => {
  const { page } = demo;
  await page.type('#find input', 'no-such-row');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  expect(await page.$eval('#row-summary', each => each.textContent)).toContain('Nothing is known about this row');
  await page.keyboard.press('Escape');
});

test('an incident is caused and repaired by the keyboard alone, and what has the focus keeps it while the page is updated', async () => {
  const { page } = demo;
  await page.focus('#incidents');
  await page.keyboard.press('Tab');
  for (let presses = 0; presses < 60; presses++) {
    const focused = await demo.evaluate('document.activeElement.dataset.incident');
    if (focused === 'The service account was disabled') break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await demo.until(({ incident }) => (incident?.minutes ?? 0) >= 3, 'the incident lasts', 8);
  await page.waitForSelector('[data-incident][aria-pressed="true"]:focus');
  expect(await page.$eval('#status-line', each => each.textContent)).toContain('credentials-refused');
  await page.focus('#repair');
  await page.keyboard.press('Enter');
  await demo.until(({ incident }) => incident?.isRepaired === true, 'it is repaired', 3);
});

test('the buttons stay where they are while an incident begins, its error is shown, and it ends', async () => {
  await demo.evaluate(`globalThis.places = new Set();
    (function note() {
      places.add(Math.round(document.querySelector('#repair').getBoundingClientRect().top + scrollY));
      requestAnimationFrame(note);
    })()`);
  await demo.cause('The function cannot start');
  await demo.until(({ incident }) => (incident?.minutes ?? 0) >= 4, 'the incident lasts', 8);
  await demo.shows("!document.querySelector('#problem').hidden");
  await demo.repair();
  await demo.until(({ distance }) => distance === 0, 'the copy equals the data', 40);
  expect(await demo.evaluate('places.size')).toBe(1);
});

test('each button says what its incident does, and Lag, Kept back and the epoch are explained', async () => {
  const shown = await demo.page.$$eval('[data-incident] small', each => each.map(({ textContent }) => textContent));
  const incidents = INCIDENT_GROUPS.flatMap(each => each.incidents);
  expect(shown).toEqual(incidents.map(({ caused }) => expect.stringContaining(caused)));
  const notes = await demo.page.$$eval('#middle .note b', each => each.map(({ textContent }) => textContent));
  expect(notes).toEqual(['Lag', 'Kept back', 'epoch']);
});

test.each([
  ['waits', 'new Promise(() => {})', 'Waiting: “A rotation done well” begins with the next minute.'],
  [
    'is refused',
    "Promise.resolve(new Response('No such token.', { status: 403 }))",
    'That did not work: No such token.',
  ],
  [
    'is not answered',
    "Promise.reject(new TypeError('Failed to fetch'))",
    'That did not work: The demo does not answer.',
  ],
])('a button that %s says so in sight', async (_, answer, message) => {
  await demo.evaluate(
    `globalThis.before = fetch; globalThis.fetch = (...call) => call[0] === 'incident' ? ${answer} : before(...call);`,
  );
  await demo.cause('A rotation done well');
  await demo.shows(`document.querySelector('#notice').textContent.startsWith('${message}')`);
  expect(await demo.page.$eval('#notice', each => each.checkVisibility())).toBe(true);
  await demo.evaluate('globalThis.fetch = before');
});

test('no page is wider than a phone', async () => {
  await demo.page.setViewport({ width: 390, height: 844 });
  // The browser applies a new viewport, and the media queries with it, at its next frame.
  const width = () =>
    demo.evaluate(
      `new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))
        .then(() => document.documentElement.scrollWidth)`,
    );
  expect(await width()).toBe(390);
  await demo.page.goto(new URL('docs/runbook.md', demo.url).href);
  expect(await width()).toBe(390);
  await demo.page.goto(demo.url);
  await demo.page.waitForSelector('#changes button');
  await demo.page.setViewport({ width: 1440, height: 1000 });
});

describe.each(['light', 'dark'] as const)('in %s', scheme => {
  test.each([
    ['the page', 1440, async () => {}],
    ['the page on a narrow screen', 600, async () => {}],
    [
      'a row',
      1440,
      async () => {
        await demo.evaluate(CLICK_CHANGE);
        await demo.page.waitForSelector('dialog[open]');
      },
    ],
  ])('%s has no violation of the rules of axe-core', async (_, width, prepare) => {
    const { page } = demo;
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.setViewport({ width, height: 1000 });
    await prepare();
    expect(await violations()).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('a page of docs/ has none either', async () => {
    const { page } = demo;
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(new URL('docs/runbook.md#stream-silent', demo.url).href);
    expect(await page.$eval('h2:target', each => each.textContent)).toBe('stream-silent');
    expect(await violations()).toEqual([]);
    await page.goto(demo.url);
    await page.waitForSelector('html[data-minute]');
  });
});

/** The policy of the page lets no script in but its own, so axe is evaluated by the debugger. */
async function violations(): Promise<string[]> {
  await demo.evaluate(await readFile(AXE, 'utf8'));
  const results = (await demo.evaluate('axe.run()')) as AxeResults;
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test('the browser complains about nothing, and asks no other host', () => {
  expect(demo.complaints).toEqual([]);
  expect([...demo.hosts]).toEqual([new URL(demo.url).host]);
});
