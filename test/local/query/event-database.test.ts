import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventDatabase, QueryFailedError } from '../../../local/query/event-database.ts';
import { deliveredFolder } from './files.ts';
import { envelope } from './support/event-lines.ts';

const DAY = 'events/2026/11/20/09';

type Folder = Awaited<ReturnType<typeof deliveredFolder>>;

async function column(folder: Folder, sql: string): Promise<unknown[]> {
  using database = await EventDatabase.open(folder.path);
  return (await (await database.query(sql)).getRowsJson()).map(row => row[0]);
}

describe('the delivered files', () => {
  test('the delivered files are read line by line without a change', async () => {
    await using folder = await deliveredFolder();
    const lines = [
      envelope({ sequence: 2, row: String.raw`{"a":"\ud800\u0000\"\\","b":" \t"}` }),
      envelope({ sequence: 3, row: '{"a":"\u2028\u2029\u0085😀\u001f"}'.replace('\u001f', '') }),
      envelope({ sequence: 4, row: `{ "it's" :\t"a, b; 'c' | \\"d\\"" ,"#":"//"}` }),
      '# no event, "and not JSON\\',
    ];
    await folder.file(`${DAY}/a.json.gz`, ...lines);
    expect(await column(folder, 'select line from lines')).toEqual(lines);
  });

  test('an event has the date of its folder, by time or by stream, and otherwise is undated', async () => {
    await using folder = await deliveredFolder();
    await folder.file('events/2026/11/20/23/a.json.gz', envelope({ sequence: 1, id: 'by time', row: '1' }));
    await folder.file('events/assets/2026/11/21/00/a.json.gz', envelope({ sequence: 2, id: 'by stream', row: '1' }));
    await folder.file('a.json.gz', envelope({ sequence: 3, id: 'nowhere', row: '1' }));
    expect(await column(folder, `select id || ' ' || coalesce(delivery_day, '-') from events order by 1`)).toEqual([
      'by stream 2026/11/21',
      'by time 2026/11/20',
      'nowhere -',
    ]);
  });

  test('folders of a bucket that do not hold events are not read as delivered files', async () => {
    await using folder = await deliveredFolder();
    await folder.file(`${DAY}/a.json.gz`, envelope({ sequence: 1, row: '1' }));
    for (const other of ['delivery-errors/backup/2026/11/20/09/b.json.gz', 'dead-letter/acme/c.json.gz']) {
      await folder.file(other, envelope({ sequence: 2, row: '2' }));
    }
    expect(await column(folder, 'select row from current_assets')).toEqual(['1']);
  });
});

describe('a query of the database', () => {
  let folder: Folder;
  let database: EventDatabase;

  beforeAll(async () => {
    folder = await deliveredFolder();
    await folder.file(`${DAY}/a.json.gz`, envelope({ sequence: 1, row: '1' }));
    database = await EventDatabase.open(folder.path);
  });
  afterAll(async () => {
    database[Symbol.dispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each(['from changes', 'describe current_assets', 'select 1;'])('a query reads the views: %s', async sql => {
    expect((await (await database.query(sql)).getRows()).length).toBeGreaterThan(0);
  });

  test.each([
    `copy (select 1) to '<folder>/x.csv'`,
    `copy (select 1) to '<folder>/${DAY}/a.json.gz'`,
    `explain analyze copy (select 1) to '<folder>/x.csv'`,
    `attach '<folder>/x.db'`,
    "set memory_limit = '1GB'",
    `select 1; copy (select 1) to '<folder>/x.csv'`,
    '-- nothing',
    "select * from read_text('/etc/hostname')",
    `from '${join(import.meta.dirname, 'files.ts')}'`,
  ])('a query cannot read or write a file: %s', async sql => {
    const before = await readdir(folder.path, { recursive: true });
    await expect(database.query(sql.replaceAll('<folder>', folder.path))).rejects.toThrow(QueryFailedError);
    expect(await readdir(folder.path, { recursive: true })).toEqual(before);
    expect((await (await database.query('select row from events')).getRows()).flat()).toEqual(['1']);
  });

  test('an invalid query fails with DuckDB’s message, the position, and where the views are listed', async () => {
    await expect(database.query('select nothing from events')).rejects.toThrow(
      /Binder Error: .*"nothing" not found[\s\S]*LINE 1: select nothing from events[\s\S]*lists the views/,
    );
  });

  test('a query may contain a number that JSON cannot represent', async () => {
    const result = await database.query("select 1 where 2 < 1e999 and 'NaN'::double > 1");
    expect(await result.getRows()).toEqual([[1]]);
  });
});
