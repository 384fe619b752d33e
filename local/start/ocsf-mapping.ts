import { readFileSync } from 'node:fs';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import { compileUnchecked } from '../../lib/ocsf/ocsf-fields-option.ts';
import type { Flags } from './options.ts';
import { counted, grouped } from './progress.ts';

/** A mapping to OCSF as the user wrote it. */
export interface OcsfFields {
  readonly file: string;
  /** Each mapped member. Without a stream, it applies to every stream. */
  readonly members: readonly { readonly member: string; readonly stream?: string }[];
}

export interface OcsfMapping {
  readonly fields?: OcsfFields;
  /** The mapping as settings of the function. */
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

interface SentRow {
  readonly stream: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Members without an attribute. */
  readonly unmapped: Readonly<Record<string, unknown>>;
}

/** Counts the delivered rows with each mapped member. No check can find a member name that no row has. */
export class MappingHits {
  readonly #members: OcsfFields['members'];
  readonly #found: number[];
  readonly #taken: number[];
  #rows = 0;

  constructor({ members }: OcsfFields) {
    this.#members = members;
    this.#found = members.map(() => 0);
    this.#taken = members.map(() => 0);
  }

  /** Takes a delivered line. */
  readonly add = (line: string): void => {
    const row = sentRow(line);
    if (!row) return;
    this.#rows += 1;
    for (const [index, { member, stream }] of this.#members.entries()) {
      if ((stream !== undefined && stream !== row.stream) || !Object.hasOwn(row.members, member)) continue;
      this.#found[index]! += 1;
      if (!Object.hasOwn(row.unmapped, member)) this.#taken[index]! += 1;
    }
  };

  /** Empty when this run sent no row. */
  text(): string[] {
    if (this.#rows === 0) return [];
    const lines = this.#members.map(({ member, stream }, index) => {
      const name = terminalLine(stream === undefined ? member : `${stream}.${member}`);
      return `  ${name}: ${this.#count(index)}`;
    });
    return ['Members of --ocsf-fields, by the rows of this run that have them', ...lines];
  }

  #count(index: number): string {
    const [found, taken] = [this.#found[index]!, this.#taken[index]!];
    if (found === 0) return 'WARNING, 0 rows. No row has this member. Check its name in the rows';
    if (taken === found) return counted(found, 'row');
    return `${counted(found, 'row')}${taken === 0 ? ', WARNING' : ''}, ${grouped(taken)} with a value that fits the attribute`;
  }
}

/** Undefined for a line without a row, and for a tombstone, to which no mapping applies. */
function sentRow(line: string): SentRow | undefined {
  const { class_uid: type, raw_data: raw, unmapped = {}, metadata } = JSON.parse(line);
  if (typeof raw !== 'string' || type === 3004) return undefined;
  return { stream: metadata.log_name, members: JSON.parse(raw), unmapped };
}
