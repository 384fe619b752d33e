import { readFileSync } from 'node:fs';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import { compileUnchecked } from '../../lib/ocsf/ocsf-fields-option.ts';
import { counted, grouped } from './progress.ts';

/** Each member that a mapping names. Without a stream, it applies to every stream. */
export type OcsfFields = readonly { readonly member: string; readonly stream?: string }[];

export interface OcsfMapping {
  readonly fields?: OcsfFields;
  /** The mapping as settings of the function. */
  readonly settings: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
}

/** Every option as typed: the size of the mapping depends on the others. */
interface OcsfFlags {
  readonly ocsfFields?: string;
  readonly format?: string;
}

/** Reads and compiles the file of `--ocsf-fields`, as the stack compiles `ocsfFields`. */
export function ocsfMapping(flags: OcsfFlags & Readonly<Record<string, unknown>>): OcsfMapping {
  const { ocsfFields: file, format, ...others } = flags;
  if (file === undefined) return { settings: {}, faults: [] };
  const refused = (...reasons: string[]) => ({ settings: {}, faults: reasons.map(each => `--ocsf-fields${each}`) });
  if (format !== 'ocsf') return refused(' has no effect without --format ocsf');
  let option: Readonly<Record<string, string | object>>;
  try {
    option = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refused(
      code === undefined ? ' names a file that is not JSON' : ` names a file that cannot be read (${code})`,
    );
  }
  const { compiled, faults } = compileUnchecked(option, others);
  if (faults.length > 0) return refused(...faults.map(({ path, reason }) => `: ${path}: ${reason}`));
  const fields = Object.entries(option).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ member: name }] : Object.keys(value).map(member => ({ member, stream: name })),
  );
  return { fields, settings: { OCSF_FIELDS: JSON.stringify(compiled) }, faults: [] };
}

/**
 * Counts the rows with each mapped member. No check can find a member name that no row has.
 *
 * @param lines delivered by this run
 * @returns empty when no line has a row
 */
export async function mappingText(
  fields: OcsfFields,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<string[]> {
  const counts = fields.map(({ member, stream }) => ({ member, stream, found: 0, taken: 0 }));
  let rows = 0;
  for await (const line of lines) {
    const { metadata, class_uid: type, raw_data: raw, unmapped = {} }: OcsfEvent = JSON.parse(line);
    if (typeof raw !== 'string' || type === TOMBSTONE) continue;
    rows += 1;
    const row = JSON.parse(raw);
    for (const each of counts) {
      if (each.stream !== undefined && each.stream !== metadata.log_name) continue;
      if (!Object.hasOwn(row, each.member)) continue;
      each.found += 1;
      if (!Object.hasOwn(unmapped, each.member)) each.taken += 1;
    }
  }
  if (rows === 0) return [];
  const texts = counts.map(({ member, stream, found, taken }) => {
    const name = terminalLine(stream === undefined ? member : `${stream}.${member}`);
    return `  ${name}: ${countText(found, taken)}`;
  });
  return ['Members of --ocsf-fields, by the rows of this run that have them', ...texts];
}

/** Class of an event to which no mapping applies. */
const TOMBSTONE = 3004;

interface OcsfEvent {
  readonly class_uid: number;
  readonly metadata: { readonly log_name: string };
  readonly raw_data?: string;
  /** Members without an attribute. */
  readonly unmapped?: object;
}

function countText(found: number, taken: number): string {
  if (found === 0) return 'WARNING, 0 rows. No row has this member. Check its name in the rows';
  if (taken === found) return counted(found, 'row');
  return `${counted(found, 'row')}${taken === 0 ? ', WARNING' : ''}, ${grouped(taken)} with a value that fits the attribute`;
}
