import { readFileSync } from 'node:fs';
import { compileUnchecked } from '../../lib/ocsf/compile-unchecked.ts';
import type { Flags } from './command-line.ts';

export interface OcsfMapping {
  /** The function's settings that the mapping becomes. */
  readonly settings: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
}

/** Reads and compiles the file of `--ocsf-fields`, as the stack compiles `ocsfFields`. */
export function ocsfMapping(flags: Flags): OcsfMapping {
  const { ocsfFields: file, format, ...others } = flags;
  if (file === undefined) return { settings: {}, faults: [] };
  const refused = (...reasons: string[]) => ({ settings: {}, faults: reasons.map(each => `--ocsf-fields${each}`) });
  if (format !== 'ocsf') return refused(' has no effect without --format ocsf');
  const { option, fault } = readOption(file);
  if (fault !== undefined) return refused(` ${fault}`);
  const { compiled, faults } = compileUnchecked(option, others);
  if (faults.length > 0) return refused(...faults.map(({ path, reason }) => `: ${path}: ${reason}`));
  return { settings: { OCSF_FIELDS: JSON.stringify(compiled) }, faults: [] };
}

function readOption(file: string): { readonly option?: unknown; readonly fault?: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { fault: `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  try {
    return { option: JSON.parse(text) };
  } catch {
    return { fault: 'names a file that is not JSON' };
  }
}
