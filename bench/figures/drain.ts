/** How much of a drain is not the API's own answer time: a walk cannot be parallel, so all else must hide behind it. */
import { pagesOf, servePages } from '../estate.ts';
import type { Figure, Measurement, Size } from '../figure.ts';
import type { BenchStream } from '../rows.ts';
import { createSimulation } from '../simulated-world.ts';

const PAGES: Record<Size, number> = { full: 200, tiny: 3 };
const API_DELAY: Record<Size, number> = { full: 40, tiny: 4 };
const AWS_DELAY: Record<Size, number> = { full: 10, tiny: 1 };

export const drain: Figure = {
  name: 'drain',
  title: 'Drain of 200 pages of 500 new rows, API 40 ms, AWS 10 ms a call; floor: pages × 40 ms',
  async measure(size) {
    return [await drainOf('assets', size), await drainOf('threats', size)];
  },
};

async function drainOf(stream: BenchStream, size: Size): Promise<Measurement> {
  const simulation = createSimulation({
    page: servePages({ [stream]: pagesOf(stream, PAGES[size]) }),
    apiDelay: API_DELAY[size],
    awsDelay: AWS_DELAY[size],
    remembers: false,
  });
  const begun = performance.now();
  const { more } = await simulation.run([stream]);
  const value = performance.now() - begun;
  if (more) throw new Error('The drain did not reach the end');
  return { subject: `new ${stream}`, value, floor: PAGES[size] * API_DELAY[size], unit: 'ms', target: 1.1 };
}
