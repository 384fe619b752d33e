/** A table that outlives its process, in a file with a line for each write. */
import { mkdirSync, openSync, readFileSync, renameSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Item, itemKeyOf, MemoryTable, type TableAnswer } from './table.ts';
import { readTableJson, tableJson } from './table-json.ts';

/** The file of a table cannot be understood. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** A file with more than this number of lines for each item is rewritten when it is opened. */
const LINES_FOR_EACH_ITEM = 3;

/**
 * A table whose items are stored in a file. Each further write is in the file before the call is
 * answered, so the write outlives a kill of the process:
 *
 *     {"item":{"pk":{"S":"row#assets#=a"},"sk":{"S":"state"},"status":{"S":"live"}}}
 *     {"deleted":{"pk":{"S":"row#assets#=a"},"sk":{"S":"state"}}}
 */
export class JournalTable extends MemoryTable {
  readonly #descriptor: number;
  #lines: string[] = [];

  /** @throws JournalError for a file that no table has written */
  constructor(name: string, file: string) {
    mkdirSync(dirname(file), { recursive: true });
    const { items, lines } = readJournal(file);
    if (lines > items.length * LINES_FOR_EACH_ITEM) replaceJournal(file, items);
    super(name, {
      items,
      onWrite: (key, item) => void this.#lines.push(textOf(item ? { item } : { deleted: key })),
    });
    this.#descriptor = openSync(file, 'a');
  }

  override perform(action: string, input: object): TableAnswer {
    const answer = super.perform(action, input);
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    // A disk that is nearly full writes only a part. The next write then fails with the reason.
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    return answer;
  }
}

interface Line {
  readonly item?: Item;
  readonly deleted?: Item;
}

function readJournal(file: string): { readonly items: Item[]; readonly lines: number } {
  const text = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
  // An incomplete last line was being written when the process was killed. That write was not
  // answered, so it is dropped.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));

  const items = new Map<string, Item>();
  const lines = whole.split('\n').slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const { item, deleted } = parsed(line, `${file}, line ${index + 1}`);
    const key = JSON.stringify(itemKeyOf(item ?? deleted!));
    if (item) items.set(key, item);
    else items.delete(key);
  }
  return { items: [...items.values()], lines: lines.length };
}

function parsed(text: string, place: string): Line {
  try {
    const line: Line = readTableJson(text);
    itemKeyOf(line.item ?? line.deleted!);
    return line;
  } catch (cause) {
    throw new JournalError(`The table is damaged: ${place}`, { cause });
  }
}

function replaceJournal(file: string, items: readonly Item[]): void {
  writeFileSync(`${file}.new`, items.map(item => textOf({ item })).join(''));
  renameSync(`${file}.new`, file);
}

function textOf(line: Line): string {
  return `${tableJson(line)}\n`;
}
