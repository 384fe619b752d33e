/** Every figure, in the order of the table. */
import { billedBytesFigure, quietTick, writeUnits } from './figures/bill.ts';
import { drain } from './figures/drain.ts';
import { bundleImport } from './figures/import.ts';
import { peakMemory } from './figures/memory.ts';
import { ocsfRowCpu } from './figures/ocsf-row.ts';
import { pageCpu } from './figures/page-cpu.ts';
import { newRowCpu, swallowedRowCpu } from './figures/row-cpu.ts';
import { walks } from './figures/walk.ts';

export const FIGURES = [
  walks,
  drain,
  newRowCpu,
  ocsfRowCpu,
  swallowedRowCpu,
  pageCpu,
  peakMemory,
  billedBytesFigure,
  writeUnits,
  quietTick,
  bundleImport,
];
