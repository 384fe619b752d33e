import {
  type DuckDBResult,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTypeId,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import { duckDbError } from './event-database.ts';

const MOST_ROWS = 200;
const WIDEST_CELL = 80;

/** A result as a table for people, with notes on what it omits. */
export async function resultTable(result: DuckDBResult): Promise<string> {
  const titles = result.columnNames().map(terminalLine);
  const cells: string[][] = [];
  for await (const rows of resultRows(result)) {
    cells.push(...rows.map(row => row.map(cellText)));
    if (cells.length > MOST_ROWS) break;
  }
  const shown = cells.slice(0, MOST_ROWS);
  const table = aligned(
    titles,
    shown.map(row => row.map(cut)),
  );
  return [table, ...notes(cells)].join('\n');
}

function notes(cells: readonly (readonly string[])[]): string[] {
  const isCut = cells.slice(0, MOST_ROWS).some(row => row.some(text => text.length > WIDEST_CELL));
  return [
    cells.length > MOST_ROWS ? `The first ${MOST_ROWS} rows; --json gives all.` : rowCount(cells.length),
    ...(isCut ? ['Cells that end in … are longer; --json gives them whole.'] : []),
  ];
}

function rowCount(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

export function aligned(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [line(titles), widths.map(width => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

function cellText(cell: Json): string {
  if (cell === null) return '';
  return terminalLine(typeof cell === 'string' ? cell : JSON.stringify(cell));
}

function cut(text: string): string {
  return text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text;
}

/** The rows of a result, each as the text of one JSON object. */
export async function* jsonLines(result: DuckDBResult): AsyncGenerator<string> {
  // Not by JSON.stringify of an object, which would put names such as "2" first and lose `__proto__`.
  const names = result.deduplicatedColumnNames().map(name => JSON.stringify(name));
  for await (const rows of resultRows(result)) {
    for (const row of rows) yield `{${row.map((cell, index) => `${names[index]}:${JSON.stringify(cell)}`).join()}}`;
  }
}

/** Streams the rows of a result in pieces. @throws QueryFailedError when a row fails, possibly after others */
export async function* resultRows(result: DuckDBResult): AsyncGenerator<(Json | null)[][]> {
  try {
    yield* result.yieldConvertedRows(cellValue);
  } catch (cause) {
    throw duckDbError(cause);
  }
}

const TIMESTAMPS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
]);

/** A cell as JSON. Integers that a double cannot hold, and decimals, are strings. Times are ISO 8601 in UTC. */
export const cellValue: DuckDBValueConverter<Json> = (value, type, converter) => {
  if (typeof value === 'bigint' && BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))) {
    return Number(value);
  }
  // The default would be the time zone of this machine.
  if (value instanceof DuckDBTimestampTZValue) return isoTime(String(new DuckDBTimestampValue(value.micros)));
  if (value !== null && TIMESTAMPS.has(type.typeId)) return isoTime(String(value));
  return JsonDuckDBValueConverter(value, type, converter);
};

/** `infinity` is a timestamp too. */
function isoTime(text: string): string {
  return text.includes(' ') ? `${text.replace(' ', 'T')}Z` : text;
}
