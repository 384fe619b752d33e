import type { DuckDBResult, Json } from '@duckdb/node-api';
import { terminalLine } from '../terminal/terminal-text.ts';
import { resultRows } from './result-rows.ts';

/** What a person reads in a terminal. */
const MOST_ROWS = 200;
const WIDEST_CELL = 80;

/** A result as a table for people, and what it leaves out. */
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
