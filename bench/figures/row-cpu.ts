/**
 * CPU of a row with every port in memory: cut it out of its page, hash it, decide, write the event line, pack.
 * Subject and floor take turns, so that a busy machine slows both.
 */
import { type EventFormat, envelope } from '../../lambda/core/event.ts';
import type { OcsfFields } from '../../lambda/core/ocsf/attributes.ts';
import { ocsfFormat } from '../../lambda/core/ocsf/format.ts';
import { compileFields } from '../../lib/ocsf/compile-fields.ts';
import type { Figure, Measurement, Size } from '../figure.ts';
import { createMemoryPorts } from '../memory-ports.ts';
import { cpuTimeOf } from '../resources.ts';
import { answerBytes, type BenchStream, flatCopies, PAGE_ROWS, pageOfRows, STREAM_NAMES } from '../rows.ts';

const PAGES: Record<Size, number> = { full: 24, tiny: 2 };
/** Rounds before the measured ones: the compiler has seen everything by then. */
const WARM_UP: Record<Size, number> = { full: 3, tiny: 0 };
const ROUNDS: Record<Size, number> = { full: 5, tiny: 1 };

export const newRowCpu: Figure = {
  name: 'new-row',
  title: 'CPU per new row, ports in memory; floor: JSON.parse + JSON.stringify of the row',
  measure: size =>
    eachStream(stream => {
      const texts = textsOf(stream, size);
      // DNS blocks never change, so the target does not apply to them.
      const target = stream === 'dns-blocks' ? undefined : 2.5;
      return compare({ stream, size, work: drainOf(stream, size), floor: () => parseAndWrite(texts), target });
    }),
};

export const deduplicatedRowCpu: Figure = {
  name: 'deduplicated-row',
  title: 'CPU per re-delivered row that the window drops; same floor',
  measure: size => eachStream(stream => deduplicatedRows(stream, size)),
};

/** A mapping as a user would write it for the rows that are measured. */
const MAPPING = {
  severity: 'severity_id',
  assets: { fqdn: 'device.hostname', name: 'device.name', serial_number: 'device.uid_alt' },
  threats: { title: 'finding_info.title', summary: 'finding_info.desc', score: 'risk_score' },
  'dns-blocks': { domain: 'query.hostname', record_type: 'query.type' },
};

export const ocsfRowCpu: Figure = {
  name: 'ocsf-row',
  title: 'CPU per new row as an OCSF event, with a mapping; floor: the same in the envelope',
  measure: size =>
    eachStream(stream => {
      const fields = compileFields(MAPPING).compiled as OcsfFields;
      const work = drainOf(stream, size, ocsfFormat({ parentMember: 'asset_id', fields }));
      return compare({ stream, size, work, floor: drainOf(stream, size) });
    }),
};

export async function eachStream(
  measure: (stream: BenchStream) => Promise<Measurement | Measurement[]>,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const stream of STREAM_NAMES) measurements.push(...[await measure(stream)].flat());
  return measurements;
}

/** The rows of the pages, each a text of its own. */
export function textsOf(stream: BenchStream, size: Size): string[] {
  return flatCopies(pagesOf(stream, size).flat());
}

function pagesOf(stream: BenchStream, size: Size): string[][] {
  return Array.from({ length: PAGES[size] }, (_, page) => pageOfRows(stream, page));
}

/** Drains the pages as if no row had ever been sent. */
function drainOf(stream: BenchStream, size: Size, format: EventFormat = envelope): () => Promise<void> {
  const bodies = pagesOf(stream, size).map((page, index, all) =>
    answerBytes(page, index === all.length - 1 ? null : `cursor-${index}`),
  );
  let next = 0;
  const ports = createMemoryPorts({ page: async () => bodies[next++]! }, format);
  return async () => {
    next = 0;
    ports.forget();
    await ports.run(stream);
  };
}

/** The page that every poll reads again: it was forwarded once, and the window drops it in each further run. */
async function deduplicatedRows(stream: BenchStream, size: Size): Promise<Measurement> {
  const page = pageOfRows(stream, 0);
  const body = answerBytes(page, null);
  const ports = createMemoryPorts({ page: async () => body });
  await ports.run(stream);
  const texts = flatCopies(Array.from({ length: PAGES[size] }, () => page).flat());
  const work = async () => {
    for (let tick = 0; tick < PAGES[size]; tick++) {
      const { suppressed } = (await ports.run(stream)).results.get(stream)!;
      if (suppressed !== PAGE_ROWS) throw new Error('The window did not drop the page');
    }
  };
  const target = stream === 'dns-blocks' ? undefined : 1.5;
  return compare({ stream, size, work, floor: () => parseAndWrite(texts), target });
}

function parseAndWrite(texts: readonly string[]): void {
  for (const text of texts) JSON.stringify(JSON.parse(text));
}

interface Comparison {
  readonly stream: BenchStream;
  readonly size: Size;
  readonly work: () => Promise<void>;
  readonly floor: () => unknown;
  readonly target?: number | undefined;
}

export async function compare({ stream, size, work, floor, target }: Comparison): Promise<Measurement> {
  let floorTime = 0;
  let workTime = 0;
  for (let round = -WARM_UP[size]; round < ROUNDS[size]; round++) {
    const ofFloor = await cpuTimeOf(floor);
    const ofWork = await cpuTimeOf(work);
    if (round < 0) continue;
    floorTime += ofFloor;
    workTime += ofWork;
  }
  const rows = PAGES[size] * PAGE_ROWS * ROUNDS[size];
  const measured = { subject: stream, value: workTime / rows, floor: floorTime / rows, unit: 'µs a row' };
  return { ...measured, ...(target !== undefined && { target }) };
}
