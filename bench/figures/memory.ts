/** Whether memory depends on how much there is to read. Bundled, since the function runs without a loader for types. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '../bundle.ts';
import { inChild } from '../child.ts';
import type { Figure, Size } from '../figure.ts';

const SCRIPT = path.join(import.meta.dirname, '..', 'children', 'backfill.ts');
const ROWS: Record<Size, { many: number; few: number }> = {
  full: { many: 1_000_000, few: 10_000 },
  tiny: { many: 4_000, few: 2_000 },
};
const MOST_MEGABYTES = 200;
/** What keeps the young generation, and so the garbage that waits for its collection, small. */
const NODE_OPTIONS = ['--max-semi-space-size=8', '--max-old-space-size=96'];

interface Backfill {
  readonly peakMegabytes: number;
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
      await bundle(SCRIPT, script, { keepNames: true });
      const { peakMegabytes: floor } = await inChild<Backfill>(script, [String(few)], NODE_OPTIONS);
      const { peakMegabytes: value } = await inChild<Backfill>(script, [String(many)], NODE_OPTIONS);
      const { peakMegabytes: free } = await inChild<Backfill>(script, [String(many)]);
      return [
        { subject: `${many} rows`, value, floor, unit: 'MB', target: 1.2 },
        { subject: 'at most', value, unit: 'MB', target: MOST_MEGABYTES },
        { subject: 'heap not limited', value: free, unit: 'MB' },
      ];
    } finally {
      await rm(directory, { recursive: true });
    }
  },
};
