/** CPU of a row with every port in memory: cut, fingerprint, digest, classify, event line, pack. */
import { cpuTimeOf } from '../cpu-time.ts';
import type { Figure, Measurement, Size } from '../figure.ts';
import { createMemoryPorts } from '../memory-world.ts';
import { answerBytes, type BenchStream, flatCopies, PAGE_ROWS, pageOfRows } from '../rows.ts';

const PAGES: Record<Size, number> = { full: 24, tiny: 2 };
/** Rounds before the measured ones: the compiler has seen everything by then. */
const WARM_UP: Record<Size, number> = { full: 3, tiny: 0 };
const ROUNDS: Record<Size, number> = { full: 5, tiny: 1 };

export const newRowCpu: Figure = {
  name: 'new-row',
  title: 'CPU per new row, ports in memory; floor: JSON.parse + JSON.stringify of the row',
  measure: size => eachStream(['assets', 'threats', 'dns-blocks'], stream => newRows(stream, size)),
};

export const swallowedRowCpu: Figure = {
  name: 'swallowed-row',
  title: 'CPU per re-delivered row that the window swallows; same floor',
  measure: size => eachStream(['assets', 'threats', 'dns-blocks'], stream => swallowedRows(stream, size)),
};

async function eachStream(streams: readonly BenchStream[], measure: (stream: BenchStream) => Promise<Measurement>) {
  const measurements: Measurement[] = [];
  for (const stream of streams) measurements.push(await measure(stream));
  return measurements;
}

async function newRows(stream: BenchStream, size: Size): Promise<Measurement> {
  const rows = Array.from({ length: PAGES[size] }, (_, page) => pageOfRows(stream, page));
  const bodies = rows.map((page, index) => answerBytes(page, index === rows.length - 1 ? null : `cursor-${index}`));
  let next = 0;
  const ports = createMemoryPorts({ page: async () => bodies[next++]! });
  const drain = async () => {
    next = 0;
    ports.forget();
    await ports.run(stream);
  };
  // The promise of DNS blocks is the same, the target is of rows that change.
  const target = stream === 'dns-blocks' ? undefined : 2.5;
  return compare({ stream, size, texts: flatCopies(rows.flat()), work: drain, target });
}

/** The page that every poll reads again: it was forwarded once, and each further run swallows it. */
async function swallowedRows(stream: BenchStream, size: Size): Promise<Measurement> {
  const page = pageOfRows(stream, 0);
  const body = answerBytes(page, null);
  const ports = createMemoryPorts({ page: async () => body });
  await ports.run(stream);
  const texts = flatCopies(Array.from({ length: PAGES[size] }, () => page).flat());
  const swallow = async () => {
    for (let tick = 0; tick < PAGES[size]; tick++) {
      const { suppressed } = (await ports.run(stream)).results.get(stream)!;
      if (suppressed !== PAGE_ROWS) throw new Error('The window did not swallow the page');
    }
  };
  return compare({ stream, size, texts, work: swallow, target: stream === 'dns-blocks' ? undefined : 1.5 });
}

interface Comparison {
  readonly stream: BenchStream;
  readonly size: Size;
  readonly texts: readonly string[];
  readonly work: () => Promise<void>;
  readonly target: number | undefined;
}

/** Floor and work take turns, so that a busy machine slows both. */
async function compare({ stream, size, texts, work, target }: Comparison): Promise<Measurement> {
  const floor = () => {
    for (const text of texts) JSON.stringify(JSON.parse(text));
  };
  let floorTime = 0;
  let workTime = 0;
  for (let round = -WARM_UP[size]; round < ROUNDS[size]; round++) {
    const ofFloor = await cpuTimeOf(floor);
    const ofWork = await cpuTimeOf(work);
    if (round < 0) continue;
    floorTime += ofFloor;
    workTime += ofWork;
  }
  const measured = texts.length * ROUNDS[size];
  return {
    subject: stream,
    value: workTime / measured,
    floor: floorTime / measured,
    unit: 'µs a row',
    ...(target === undefined ? {} : { target }),
  };
}
