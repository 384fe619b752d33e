/** Figures of the function in a process of its own: import, memory and CPU. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROCESS_ENVIRONMENT } from '../../lib/function/function-environment.ts';
import { bundle } from '../bundle.ts';
import { type Figure, median, type Size } from '../figure.ts';
import { inChild, serving, temporaryFolder } from '../processes.ts';

const IMPORTS: Record<Size, number> = { full: 9, tiny: 1 };
const CHILDREN = path.join(import.meta.dirname, '..', 'children');
const HANDLER = path.join(import.meta.dirname, '..', '..', 'lambda', 'handler.ts');

/** What a cold start pays for our code, beyond what it pays for the SDK. */
export const bundleImport: Figure = {
  name: 'import',
  title: 'Import of the bundled function in a fresh process; floor: the SDK clients alone, bundled alike',
  async measure(size) {
    await using folder = await temporaryFolder('import');
    const [ours, theirs] = [path.join(folder.path, 'handler.mjs'), path.join(folder.path, 'sdk-clients.mjs')];
    await bundle(HANDLER, ours);
    await bundle(path.join(CHILDREN, 'sdk-clients.ts'), theirs);
    const times: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
    for (let i = 0; i < IMPORTS[size]; i++) {
      times.theirs.push(await importTime(theirs));
      times.ours.push(await importTime(ours));
    }
    return [{ subject: 'bundle', value: median(times.ours), floor: median(times.theirs), unit: 'ms', target: 1.25 }];
  },
};

/** Milliseconds that the import of a module takes in a fresh process. */
function importTime(module: string): Promise<number> {
  const url = JSON.stringify(pathToFileURL(module).href);
  const code = `const begun = performance.now(); await import(${url}); console.log(performance.now() - begun);`;
  return inChild<number>('--input-type=module', ['--eval', code]);
}

const ROWS: Record<Size, { many: number; few: number }> = {
  full: { many: 1_000_000, few: 10_000 },
  tiny: { many: 4_000, few: 2_000 },
};
const MOST_MEGABYTES = 200;

interface Backfill {
  readonly peakMegabytes: number;
  readonly liveMegabytes: number;
}

/**
 * Whether memory depends on how much there is to read. The function is bundled and has the options of the deployed one.
 * The rows are made in another process, so that their garbage is not counted.
 */
export const peakMemory: Figure = {
  name: 'memory',
  title: 'Peak resident memory of a backfill of 1,000,000 rows; floor: the same with 10,000',
  runs: 1,
  async measure(size) {
    const { many, few } = ROWS[size];
    await using folder = await temporaryFolder('memory');
    const script = path.join(folder.path, 'backfill.mjs');
    await bundle(path.join(CHILDREN, 'backfill.ts'), script, { keepNames: true });
    const floor = await backfill(script, few);
    const value = await backfill(script, many);
    const { peakMegabytes } = value;
    return [
      { subject: `${many} rows`, value: peakMegabytes, floor: floor.peakMegabytes, unit: 'MB', target: 1.2 },
      { subject: 'at most', value: peakMegabytes, unit: 'MB', target: MOST_MEGABYTES },
      { subject: 'alive at the end', value: value.liveMegabytes, floor: floor.liveMegabytes, unit: 'MB' },
    ];
  },
};

async function backfill(script: string, rows: number): Promise<Backfill> {
  using api = await serving<string>(path.join(CHILDREN, 'generator.ts'), [String(rows)]);
  return await inChild<Backfill>(script, [api.line], {
    ...PROCESS_ENVIRONMENT,
    NODE_OPTIONS: `${PROCESS_ENVIRONMENT.NODE_OPTIONS} --expose-gc`,
  });
}

const PAGE_CPU_PAGES: Record<Size, string> = { full: '40', tiny: '2' };
const PAGE_CPU_ROUNDS: Record<Size, string> = { full: '4', tiny: '1' };

/** What the function's memory size must pay for. */
export const pageCpu: Figure = {
  name: 'page-cpu',
  title:
    'CPU per page of 500 new rows with the real SDK against a sink on loopback; floor: the traffic without our code',
  async measure(size) {
    const measurements = [];
    for (const stream of ['assets', 'threats']) {
      const { ours, floor } = await inChild<{ ours: number; floor: number }>(path.join(CHILDREN, 'page-cpu.ts'), [
        stream,
        PAGE_CPU_PAGES[size],
        PAGE_CPU_ROUNDS[size],
      ]);
      measurements.push({ subject: `new ${stream}`, value: ours, floor, unit: 'ms a page' });
    }
    return measurements;
  },
};
