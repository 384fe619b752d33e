/** What a backfill, a change and a quiet tick are billed for: counted, not timed. */
import { billedBytes } from '../../local/aws/firehose-limits.ts';
import { pagesOf, servePages } from '../estate.ts';
import type { Figure, Measurement, Size } from '../figure.ts';
import { type BenchStream, PAGE_ROWS } from '../rows.ts';
import { createSimulation, type Simulation } from '../simulated-world.ts';

const PAGES: Record<Size, number> = { full: 40, tiny: 2 };
const ALL: readonly BenchStream[] = ['assets', 'threats', 'dns-blocks'];

export const billedBytesFigure: Figure = {
  name: 'billed-bytes',
  title: 'Bytes that Firehose bills in a backfill; floor: bytes of the lines',
  runs: 1,
  async measure(size) {
    const measurements: Measurement[] = [];
    for (const stream of ALL) {
      const { recordBytes } = await drained(stream, size);
      const floor = sum(recordBytes) / 1024;
      measurements.push({
        subject: stream,
        value: sum(recordBytes.map(billedBytes)) / 1024,
        floor,
        unit: 'KiB',
        target: 1.03,
      });
    }
    return measurements;
  },
};

export const writeUnits: Figure = {
  name: 'write-units',
  title: 'DynamoDB write units per row forwarded, checkpoints, notes and lease included',
  runs: 1,
  async measure(size) {
    const rows = PAGES[size] * PAGE_ROWS;
    const measurements: Measurement[] = [];
    for (const stream of ALL) {
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
    const pages = Object.fromEntries(ALL.map(stream => [stream, pagesOf(stream, 2)]));
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
  /** Every row has changed, and is drained once more. */
  again(): Promise<unknown>;
};

async function drained(stream: BenchStream, size: Size): Promise<CaughtUp> {
  const count = PAGES[size];
  let pages = pagesOf(stream, count);
  const simulation = createSimulation({ page: (path, cursor) => servePages({ [stream]: pages })(path, cursor) });
  await simulation.run([stream]);
  const again = () => {
    // The saved cursor stands before the last page; a change moves its row behind it, so the walk meets all of them.
    pages = [...pages.slice(0, -1), ...pagesOf(stream, count, { version: 1, place: count - 1 })];
    return simulation.run([stream]);
  };
  return { ...simulation, again };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
