/** What a drain of a stream takes against a simulated API and AWS: time, and what is billed for it. */
import { billedBytes } from '../../local/aws/firehose.ts';
import type { Figure, Measurement, Size } from '../figure.ts';
import { type BenchStream, PAGE_ROWS, pagesOf, STREAM_NAMES, servePages } from '../rows.ts';
import { createSimulation, type Simulation } from '../simulation.ts';

const DRAIN_PAGES: Record<Size, number> = { full: 200, tiny: 3 };
const API_DELAY: Record<Size, number> = { full: 40, tiny: 4 };
const AWS_DELAY: Record<Size, number> = { full: 10, tiny: 1 };

/** A walk cannot be parallel, so everything but the API's own answer time must hide behind that time. */
export const drain: Figure = {
  name: 'drain',
  title: 'Drain of 200 pages of 500 new rows, API 40 ms, AWS 10 ms a call; floor: pages × 40 ms',
  async measure(size) {
    return [await drainOf('assets', size), await drainOf('threats', size)];
  },
};

async function drainOf(stream: BenchStream, size: Size): Promise<Measurement> {
  const simulation = createSimulation({
    page: servePages({ [stream]: pagesOf(stream, DRAIN_PAGES[size]) }),
    apiDelay: API_DELAY[size],
    awsDelay: AWS_DELAY[size],
    remembers: false,
  });
  const begun = performance.now();
  const { more } = await simulation.run([stream]);
  const value = performance.now() - begun;
  if (more) throw new Error('The drain did not reach the end');
  return { subject: `new ${stream}`, value, floor: DRAIN_PAGES[size] * API_DELAY[size], unit: 'ms', target: 1.1 };
}

/** Of the figures that are counted, not timed. */
const PAGES: Record<Size, number> = { full: 40, tiny: 2 };

export const billedBytesFigure: Figure = {
  name: 'billed-bytes',
  title: 'Bytes that Firehose bills in a backfill; floor: bytes of the lines',
  runs: 1,
  async measure(size) {
    const measurements: Measurement[] = [];
    for (const stream of STREAM_NAMES) {
      const { recordBytes } = await drained(stream, size);
      const [value, floor] = [sum(recordBytes.map(billedBytes)) / 1024, sum(recordBytes) / 1024];
      measurements.push({ subject: stream, value, floor, unit: 'KiB', target: 1.03 });
    }
    return measurements;
  },
};

export const writeUnits: Figure = {
  name: 'write-units',
  title: 'DynamoDB write units per row forwarded, checkpoints, intents and lease included',
  runs: 1,
  async measure(size) {
    const rows = PAGES[size] * PAGE_ROWS;
    const measurements: Measurement[] = [];
    for (const stream of STREAM_NAMES) {
      const simulation = await drained(stream, size);
      const first = simulation.table.units;
      const target = { assets: 1.1, threats: 2.1, 'dns-blocks': 0.05 }[stream];
      measurements.push({ subject: `new ${stream}`, value: first / rows, unit: 'units a row', target });
      if (stream === 'dns-blocks') continue;
      await simulation.again();
      const value = (simulation.table.units - first) / rows;
      measurements.push({ subject: `changed ${stream}`, value, unit: 'units a row', target: 1.1 });
    }
    return measurements;
  },
};

export const quietTick: Figure = {
  name: 'quiet-tick',
  title: 'Calls of a tick with nothing new, three streams on',
  runs: 1,
  async measure() {
    const pages = Object.fromEntries(STREAM_NAMES.map(stream => [stream, pagesOf(stream, 2)]));
    const { run, calls, table } = createSimulation({ page: servePages(pages) });
    await run();
    const before = { ...calls, units: table.units };
    await run();
    const unit = 'calls';
    return [
      { subject: 'API', value: calls.api - before.api, unit, target: 3 },
      { subject: 'Firehose', value: calls.firehose - before.firehose, unit, target: 0 },
      { subject: 'DynamoDB', value: calls.dynamodb - before.dynamodb, unit, target: 4 },
      { subject: 'DynamoDB write units', value: table.units - before.units, unit: 'units' },
    ];
  },
};

type CaughtUp = Simulation & {
  /** Changes every row and drains once more. */
  again(): Promise<unknown>;
};

async function drained(stream: BenchStream, size: Size): Promise<CaughtUp> {
  const count = PAGES[size];
  let pages = pagesOf(stream, count);
  const simulation = createSimulation({ page: (path, cursor) => servePages({ [stream]: pages })(path, cursor) });
  await simulation.run([stream]);
  const again = () => {
    // The saved cursor points before the last page. A change moves its row behind that page, so the walk meets every row.
    pages = [...pages.slice(0, -1), ...pagesOf(stream, count, { version: 1, place: count - 1 })];
    return simulation.run([stream]);
  };
  return { ...simulation, again };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
