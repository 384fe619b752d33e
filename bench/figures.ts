/** Every figure, in the order of the table. */

import { bundleImport, pageCpu, peakMemory } from './figures/bundle.ts';
import { billedBytesFigure, drain, quietTick, writeUnits } from './figures/drain.ts';
import { filterCpu } from './figures/filter.ts';
import { deduplicatedRowCpu, newRowCpu, ocsfRowCpu } from './figures/row-cpu.ts';
import { walks } from './figures/walk.ts';

export const FIGURES = [
  walks,
  drain,
  newRowCpu,
  ocsfRowCpu,
  deduplicatedRowCpu,
  filterCpu,
  pageCpu,
  peakMemory,
  billedBytesFigure,
  writeUnits,
  quietTick,
  bundleImport,
];
