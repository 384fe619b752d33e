/** CPU of a page of 500 new rows, all in: what the function's memory size must pay for. */
import path from 'node:path';
import { inChild } from '../child.ts';
import type { Figure, Size } from '../figure.ts';

const SCRIPT = path.join(import.meta.dirname, '..', 'children', 'page-cpu.ts');
const PAGES: Record<Size, string> = { full: '40', tiny: '2' };
const ROUNDS: Record<Size, string> = { full: '4', tiny: '1' };

export const pageCpu: Figure = {
  name: 'page-cpu',
  title:
    'CPU per page of 500 new rows with the real SDK against a sink on loopback; floor: the traffic without our code',
  async measure(size) {
    const measurements = [];
    for (const stream of ['assets', 'threats']) {
      const { ours, floor } = await inChild<{ ours: number; floor: number }>(SCRIPT, [
        stream,
        PAGES[size],
        ROUNDS[size],
      ]);
      measurements.push({ subject: `new ${stream}`, value: ours, floor, unit: 'ms a page' });
    }
    return measurements;
  },
};
