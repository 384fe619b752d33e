import { afterAll, expect, test } from '@jest/globals';
import { givenBrowser } from './given-browser.ts';
import { type Opened, openDemo } from './opened.ts';

/** Minutes of this machine. The variable is for a shorter look. */
const MINUTES = Number(process.env['DEMO_MINUTES'] ?? 60);
const MINUTE_MILLISECONDS = 250;
/** Of the demo. */
const DEMO_MINUTES = (MINUTES * 60_000) / MINUTE_MILLISECONDS;
const SAMPLES = 12;

let demo: Opened | undefined;
afterAll(() => demo?.close());

test('for an hour, the memory of the demo and of the page stays flat, and the page answers at once', async () => {
  demo = await openDemo({ browser: givenBrowser(), minute: `${MINUTE_MILLISECONDS}ms` });
  const { page } = demo;
  const rows: { minute: number; process: number; page: number; nodes: number; answer: number; rows: number }[] = [];
  for (let sample = 0; sample <= SAMPLES; sample++) {
    const due = Math.floor((sample * DEMO_MINUTES) / SAMPLES);
    await demo.until(({ minute }) => minute >= due, `minute ${due}`, DEMO_MINUTES);
    const asked = performance.now();
    await demo.evaluate('new Promise(resolve => requestAnimationFrame(resolve))');
    const answer = performance.now() - asked;
    const { JSHeapUsedSize: heap = 0, Nodes: nodes = 0 } = await page.metrics();
    const { minute, streams } = await demo.view();
    const memory = { process: await demo.memory(), page: heap / 2 ** 20 };
    const held = streams.reduce((sum, each) => sum + each.rows, 0);
    rows.push({ minute, ...memory, nodes, answer, rows: held });
  }
  console.table(rows);
  const [, , second, ...others] = rows;
  const last = others.at(-1)!;
  // What the data add, the demo keeps: rows of the API simulator and the copy.
  const kept = ((last.rows - second!.rows) * KILOBYTES_A_ROW) / 1024;
  expect(last.process).toBeLessThan(second!.process * 1.3 + kept);
  expect(last.page).toBeLessThan(second!.page * 1.5 + 5);
  expect(last.nodes).toBeLessThan(second!.nodes * 1.2);
});

const KILOBYTES_A_ROW = 8;
