import { readFileSync } from 'node:fs';
import { compileUnchecked } from '../../lib/ocsf/compile-unchecked.ts';
import type { Flags } from './command-line.ts';

/** A mapping to OCSF as it was given. */
export interface OcsfFields {
  readonly file: string;
  /** Each member that is mapped, with the stream, or with none where it counts for every stream. */
  readonly members: readonly { readonly member: string; readonly stream?: string }[];
}

export interface OcsfMapping {
  readonly fields?: OcsfFields;
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
  const fields = { file, members: membersOf(option as Readonly<Record<string, string | object>>) };
  return { fields, settings: { OCSF_FIELDS: JSON.stringify(compiled) }, faults: [] };
}

function membersOf(option: Readonly<Record<string, string | object>>): OcsfFields['members'] {
  return Object.entries(option).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ member: name }] : Object.keys(value).map(member => ({ member, stream: name })),
  );
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
