import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { VIEWS } from '../../local/query/views.ts';
import { column, type LinesDatabase, openDuckDbLines } from '../local/query/support/lines-database.ts';
import { page, rows, section } from './pages.ts';
import { exampleLines, QUERY_EXAMPLES } from './query-examples.ts';

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
  const now = new Date().toISOString();
  await database.hold(exampleLines(now), now.slice(0, 10).replaceAll('-', '/'));
});
afterAll(async () => database[Symbol.asyncDispose]());

test('the table of the views has their names and columns, in order', async () => {
  const table = rows(section(page('docs/query.md'), '## The views')).map(cells =>
    cells.map(cell => cell.replaceAll('`', '')),
  );
  const listed = new Map(table.map(([name, , columns]) => [name!, columns!]));
  const documented = [...listed].map(([name, columns]) => [
    name,
    /^as (\w+)$/.test(columns) ? listed.get(columns.slice('as '.length))! : columns,
  ]);

  const actual: [string, string][] = [];
  for (const { name } of VIEWS) {
    actual.push([name, (await column(database, `select column_name from (describe ${name})`)).join(', ')]);
  }
  expect(documented.sort()).toEqual(actual.sort());
});

test.each(QUERY_EXAMPLES)('the example has an answer: %s', async (_, sql) => {
  expect((await database.rows(sql)).length).toBeGreaterThan(0);
});
