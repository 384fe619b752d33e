import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { ALARMING_INCIDENTS, HARMLESS_INCIDENTS } from '../../../local/demo/incidents.ts';
import { part } from '../running.ts';
import { type Opened, openDemo } from './opened.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const INCIDENTS = [...ALARMING_INCIDENTS, ...HARMLESS_INCIDENTS];

let demo: Opened;

beforeAll(async () => {
  demo = await openDemo(part('chromium').folder, '100ms');
});

afterAll(async () => demo?.close());

/** Bottom of the lowest element. */
function bottomOf(selector: string): Promise<unknown> {
  return demo.evaluate(
    `Math.max(...[...document.querySelectorAll('${selector}')].map(element => element.getBoundingClientRect().bottom))`,
  );
}

test('the page shows the figures, alarms and incidents of the server', async () => {
  const { page } = demo;
  const { alarms } = await demo.view();
  const labels = await page.$$eval('.lane dt', terms => terms.map(({ textContent }) => textContent));
  expect(labels).toEqual(Array(2).fill(['Events', 'Duplicates', 'Ghosts', 'Volume']).flat());
  expect(await page.$$eval('#connector [data-good]', values => values.map(each => each.textContent))).toEqual([
    '0',
    '0',
  ]);
  expect(await page.$$eval('#script [data-good=false]', values => values.length)).toBe(2);
  expect(await page.$$eval('#all-alarms a', links => links.map(each => each.textContent))).toEqual(
    alarms.map(({ name }) => name),
  );
  const buttons = await page.$$eval('[data-incident]', each => each.map(({ innerText }) => innerText.split('\n')));
  expect(buttons).toEqual(INCIDENTS.map(({ name, caused }) => [name, caused]));
});

test('an incident can be caused and repaired by keyboard, and the pressed button keeps the focus', async () => {
  const { page } = demo;
  await page.focus('#incidents');
  for (const focused of ['#repair', '[data-incident="The API is down"]']) {
    await page.keyboard.press('Tab');
    expect(await page.$(`${focused}:focus`)).not.toBeNull();
  }
  await page.keyboard.press('Enter');
  await page.waitForSelector('[data-incident][aria-pressed="true"]:focus');
  await demo.shows("document.querySelector('#status-line').textContent.includes('function-errors')");

  await page.focus('#repair');
  await page.keyboard.press('Enter');
  await demo.shows("document.querySelector('#incident-note').textContent.includes('every row of the connector')");
  expect(await page.$('#repair[aria-disabled="true"]:focus')).not.toBeNull();
});

test('every button and alarm stays visible and in place at 1280×900 in the incident with most alarms', async () => {
  await demo.evaluate(`globalThis.places = new Set();
    (function note() {
      places.add(document.querySelector('#repair').getBoundingClientRect().top);
      requestAnimationFrame(note);
    })()`);
  await demo.cause('The client secret was rotated, and the new one not stored');
  await demo.shows("document.querySelectorAll('#expected [data-fired=true]').length === 3");
  expect(await bottomOf('[data-incident], #all-alarms li')).toBeLessThan(900);
  expect(await demo.evaluate('places.size')).toBe(1);
});

describe.each(['light', 'dark'])('in %s', scheme => {
  test.each([1280, 390])(
    'the page at %d px keeps the rules of axe-core and is not wider than the window',
    async width => {
      const { page } = demo;
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.setViewport({ width, height: 900 });
      // The browser applies a new viewport at its next frame.
      await demo.evaluate('new Promise(then => requestAnimationFrame(() => requestAnimationFrame(then)))');
      expect(await demo.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await violations()).toEqual([]);
    },
  );
});

test('the header of the page stays visible above the buttons at 390 px', async () => {
  await demo.page.setViewport({ width: 390, height: 844 });
  await demo.evaluate("document.querySelector('#alarms').scrollIntoView()");
  expect(await demo.evaluate("document.querySelector('#health').getBoundingClientRect().top")).toBeGreaterThan(0);
  await demo.page.setViewport({ width: 1280, height: 900 });
});

test('the page shows after the repair of an incident that every row is right', async () => {
  await demo.repair();
  await demo.shows("document.querySelector('#health').textContent === 'Every row is right, no alarm'");
});

test.each([
  ['waits', 'new Promise(() => {})', '“A rotation done well” begins with the next minute.'],
  [
    'is refused',
    "Promise.resolve(new Response('No such token.', { status: 403 }))",
    'That did not work: No such token.',
  ],
  ['is not answered', "Promise.reject(new TypeError('Failed'))", 'That did not work: The demo does not answer.'],
])('a button whose request %s shows a visible message', async (_, answer, message) => {
  await demo.evaluate(`globalThis.before = fetch; globalThis.fetch = () => ${answer};`);
  await demo.cause('A rotation done well');
  await demo.shows(`document.querySelector('#notice').textContent.startsWith('${message}')`);
  await demo.evaluate('globalThis.fetch = before');
});

test('the browser neither reports a problem of the page nor contacts another host', () => {
  expect(demo.complaints).toEqual([]);
  expect([...demo.hosts]).toEqual([new URL(demo.url).host]);
});

/** The policy of the page lets no script in but its own, so axe is evaluated by the debugger. */
async function violations(): Promise<string[]> {
  await demo.evaluate(await readFile(AXE, 'utf8'));
  const results = (await demo.evaluate('axe.run()')) as AxeResults;
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
