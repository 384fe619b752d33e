/** Counts that a SIEM answered, as it exports them: a CSV file whose first line names the columns. */
import { readFileSync } from 'node:fs';
import { RefusedError } from '../../errors.ts';

/** Events by `stream day`. */
export type SiemCounts = ReadonlyMap<string, number>;

const COLUMNS = ['stream', 'day', 'events'] as const;

/** @param connector rows of others are left out where the file has a column `connector` @throws RefusedError */
export function readSiemCounts(file: string, connector: string): SiemCounts {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new RefusedError(
      `${file} could not be read: ${(cause as NodeJS.ErrnoException).code}. Nothing was compared.`,
      {
        cause,
      },
    );
  }
  return parseSiemCounts(text, file, connector);
}

/** @throws RefusedError */
export function parseSiemCounts(text: string, file: string, connector: string): SiemCounts {
  const [head = [], ...rows] = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .filter(line => line.trim() !== '')
    .map(cellsOf);
  const names = head.map(name => name.toLowerCase());
  const missing = COLUMNS.filter(name => !names.includes(name));
  if (missing.length > 0) {
    throw new RefusedError(
      `${file} has no column ${missing.join(', ')} in its first line. Nothing was compared. Export the result of the query as CSV.`,
    );
  }
  const counts = new Map<string, number>();
  for (const [index, cells] of rows.entries()) {
    const cell = (name: string) => cells[names.indexOf(name)] ?? '';
    if (names.includes('connector') && cell('connector') !== connector) continue;
    const [stream, day, events] = [cell('stream'), cell('day').slice(0, 10), Number(cell('events'))];
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || !Number.isSafeInteger(events) || cell('events') === '') {
      throw new RefusedError(
        `${file}, line ${index + 2}: a day as 2026-11-21 and a whole number were expected. Nothing was compared.`,
      );
    }
    counts.set(`${stream} ${day}`, (counts.get(`${stream} ${day}`) ?? 0) + events);
  }
  return counts;
}

/** Cells may have quotes. None of these values has a comma. */
function cellsOf(line: string): string[] {
  return line.split(',').map(cell => cell.trim().replace(/^"(.*)"$/, '$1'));
}
