/** What the reader of examples/reader has in its database, as the copy of a SIEM. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { content } from '../../local/rows/lossless.ts';
import { type Copy, keyOf, type ReceivedEvent } from './siem.ts';

export const READER = join(import.meta.dirname, '..', '..', 'examples', 'reader', 'reader.py');

type Now = Pick<ReceivedEvent, 'stream' | 'id' | 'sequence' | 'kind'> & { readonly row: string | null };

export function ask(database: string, sql: string): unknown[] {
  const connection = new DatabaseSync(database, { readOnly: true });
  try {
    return connection.prepare(sql).all();
  } finally {
    connection.close();
  }
}

export function rowsOf(database: string): Now[] {
  return ask(database, 'select * from now order by stream, id') as Now[];
}

export function copyIn(database: string): Copy {
  const absent = { eventId: '', position: null, at: 0, refresh: false, parent: undefined };
  return new Map(
    rowsOf(database).map(({ row, ...each }) => [
      keyOf(each.stream, each.id),
      { ...absent, ...each, content: row === null ? undefined : content(row), line: row ?? '' },
    ]),
  );
}
