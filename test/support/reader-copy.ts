/** The database of the reader of examples/reader, as the copy of a SIEM. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { canonicalContent } from '../../local/rows/lossless.ts';
import { type Held, keyOf } from './promise.ts';

export const READER = join(import.meta.dirname, '..', '..', 'examples', 'reader', 'reader.py');

export function ask(database: string, sql: string): unknown[] {
  const connection = new DatabaseSync(database, { readOnly: true });
  try {
    return connection.prepare(sql).all();
  } finally {
    connection.close();
  }
}

export function rowsOf(database: string) {
  type Now = Pick<Held, 'stream' | 'id' | 'kind'> & { readonly row: string | null };
  return ask(database, 'select * from now order by stream, id') as Now[];
}

export function copyIn(database: string): ReadonlyMap<string, Held> {
  return new Map(
    rowsOf(database).map(({ row, ...held }) => [
      keyOf(held),
      { ...held, content: row === null ? undefined : canonicalContent(row), line: row ?? '' },
    ]),
  );
}
