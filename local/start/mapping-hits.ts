import { terminalLine } from '../terminal/terminal-text.ts';
import type { OcsfFields } from './ocsf-mapping.ts';
import { grouped } from './progress.ts';

interface SentRow {
  readonly stream: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Members that no attribute took. */
  readonly unmapped: Readonly<Record<string, unknown>>;
}

/** Counts in how many delivered rows each mapped member was found: a name that no row has is no fault that any check can see. */
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

  /** Takes a line as it was delivered. */
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

  /** Nothing where this run sent no row. */
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
    if (taken === found) return `${grouped(found)} rows`;
    return `${grouped(found)} rows${taken === 0 ? ', WARNING' : ''}, ${grouped(taken)} with a value that fits the attribute`;
  }
}

/** Nothing for a line without its row, and for a tombstone, to which nothing is mapped. */
function sentRow(line: string): SentRow | undefined {
  const { class_uid: type, raw_data: raw, unmapped = {}, metadata } = JSON.parse(line);
  if (typeof raw !== 'string' || type === 3004) return undefined;
  return { stream: metadata.log_name, members: JSON.parse(raw), unmapped };
}
