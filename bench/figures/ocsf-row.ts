/** CPU of a new row as an OCSF event, every port in memory. */
import { type EventFormat, envelope } from '../../lambda/core/event.ts';
import type { OcsfFields } from '../../lambda/core/ocsf/attributes.ts';
import { ocsfFormat } from '../../lambda/core/ocsf/format.ts';
import { compileFields } from '../../lib/ocsf/compile-fields.ts';
import { cpuTimeOf } from '../cpu-time.ts';
import type { Figure, Measurement, Size } from '../figure.ts';
import { createMemoryPorts } from '../memory-world.ts';
import { answerBytes, type BenchStream, PAGE_ROWS, pageOfRows } from '../rows.ts';

const PAGES: Record<Size, number> = { full: 24, tiny: 2 };
const WARM_UP: Record<Size, number> = { full: 3, tiny: 0 };
const ROUNDS: Record<Size, number> = { full: 5, tiny: 1 };

/** What somebody would map of the rows that are measured. */
const MAPPING = {
  severity: 'severity_id',
  assets: { fqdn: 'device.hostname', name: 'device.name', serial_number: 'device.uid_alt' },
  threats: { title: 'finding_info.title', summary: 'finding_info.desc', score: 'risk_score' },
  'dns-blocks': { domain: 'query.hostname', record_type: 'query.type' },
};

export const ocsfRowCpu: Figure = {
  name: 'ocsf-row',
  title: 'CPU per new row as an OCSF event, with a mapping; floor: the same in the envelope',
  async measure(size) {
    const measurements: Measurement[] = [];
    for (const stream of ['assets', 'threats', 'dns-blocks'] as const) measurements.push(await compare(stream, size));
    return measurements;
  },
};

/** The two take turns, so that a busy machine slows both. */
async function compare(stream: BenchStream, size: Size): Promise<Measurement> {
  const fields = compileFields(MAPPING).compiled as OcsfFields;
  const ocsf = drainIn(ocsfFormat({ parentMember: 'asset_id', fields }), stream, size);
  const own = drainIn(envelope, stream, size);
  let ocsfTime = 0;
  let ownTime = 0;
  for (let round = -WARM_UP[size]; round < ROUNDS[size]; round++) {
    const ofOwn = await cpuTimeOf(own);
    const ofOcsf = await cpuTimeOf(ocsf);
    if (round < 0) continue;
    ownTime += ofOwn;
    ocsfTime += ofOcsf;
  }
  const rows = PAGES[size] * PAGE_ROWS * ROUNDS[size];
  return { subject: stream, value: ocsfTime / rows, floor: ownTime / rows, unit: 'µs a row' };
}

function drainIn(format: EventFormat, stream: BenchStream, size: Size): () => Promise<void> {
  const pages = Array.from({ length: PAGES[size] }, (_, page) => pageOfRows(stream, page));
  const bodies = pages.map((page, index) => answerBytes(page, index === pages.length - 1 ? null : `cursor-${index}`));
  let next = 0;
  const ports = createMemoryPorts({ page: async () => bodies[next++]! }, format);
  return async () => {
    next = 0;
    ports.forget();
    await ports.run(stream);
  };
}
