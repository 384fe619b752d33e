/** Whether memory depends on how much there is to read. */
import path from 'node:path';
import { inChild } from '../child.ts';
import type { Figure, Size } from '../figure.ts';

const SCRIPT = path.join(import.meta.dirname, '..', 'children', 'backfill.ts');
const ROWS: Record<Size, { many: number; few: number }> = {
  full: { many: 1_000_000, few: 10_000 },
  tiny: { many: 4_000, few: 2_000 },
};
const MOST_MEGABYTES = 200;

interface Backfill {
  readonly peakMegabytes: number;
}

export const peakMemory: Figure = {
  name: 'memory',
  title: 'Peak resident memory of a backfill of 1,000,000 rows; floor: the same with 10,000',
  runs: 1,
  async measure(size) {
    const { many, few } = ROWS[size];
    const { peakMegabytes: floor } = await inChild<Backfill>(SCRIPT, [String(few)]);
    const { peakMegabytes: value } = await inChild<Backfill>(SCRIPT, [String(many)]);
    return [
      { subject: `${many} rows`, value, floor, unit: 'MB', target: 1.2 },
      { subject: `${many} rows, at most`, value, unit: 'MB', target: MOST_MEGABYTES },
    ];
  },
};
