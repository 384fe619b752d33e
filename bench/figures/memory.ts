/**
 * Whether memory depends on how much there is to read. The function is bundled, with the options that it is deployed with;
 * the rows are made in a process of their own, so that their garbage is not counted as ours.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NODE_OPTIONS } from '../../lib/function/node-options.ts';
import { bundle } from '../bundle.ts';
import { inChild } from '../child.ts';
import type { Figure, Size } from '../figure.ts';
import { serving } from '../serving.ts';

const CHILDREN = path.join(import.meta.dirname, '..', 'children');
const ROWS: Record<Size, { many: number; few: number }> = {
  full: { many: 1_000_000, few: 10_000 },
  tiny: { many: 4_000, few: 2_000 },
};
const MOST_MEGABYTES = 200;

interface Backfill {
  readonly peakMegabytes: number;
  readonly liveMegabytes: number;
}

export const peakMemory: Figure = {
  name: 'memory',
  title: 'Peak resident memory of a backfill of 1,000,000 rows; floor: the same with 10,000',
  runs: 1,
  async measure(size) {
    const { many, few } = ROWS[size];
    const directory = await mkdtemp(path.join(tmpdir(), 'bench-memory-'));
    const script = path.join(directory, 'backfill.mjs');
    try {
      await bundle(path.join(CHILDREN, 'backfill.ts'), script, { keepNames: true });
      const floor = await backfill(script, few);
      const value = await backfill(script, many);
      const { peakMegabytes } = value;
      return [
        { subject: `${many} rows`, value: peakMegabytes, floor: floor.peakMegabytes, unit: 'MB', target: 1.2 },
        { subject: 'at most', value: peakMegabytes, unit: 'MB', target: MOST_MEGABYTES },
        { subject: 'alive at the end', value: value.liveMegabytes, floor: floor.liveMegabytes, unit: 'MB' },
      ];
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};

async function backfill(script: string, rows: number): Promise<Backfill> {
  using api = await serving<string>(path.join(CHILDREN, 'generator.ts'), [String(rows)]);
  return await inChild<Backfill>(script, [api.told], [...NODE_OPTIONS, '--expose-gc']);
}
