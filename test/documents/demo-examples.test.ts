/** What a reader may type after `npm start` and `npm start -- --change 50` must return rows. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EventDatabase } from '../../local/query/event-database.ts';
import { StateFolder } from '../local/start/start-process.ts';
import type { Ended } from '../support/parts/command.ts';
import { code, PAGES, page } from './pages.ts';

/** SQL that a page or a help text hands to `npm run query`, and the SQL blocks of docs/query.md. */
const EXAMPLES = [
  ...[...PAGES, 'local/query/command.ts'].flatMap(name =>
    [...page(name).matchAll(/npm run (?:--silent )?query -- [^"\n]*"([^"\n]+)"/g)].map(
      match => [name, match[1]!] as const,
    ),
  ),
  ...code(page('docs/query.md'), 'sql').map(sql => ['docs/query.md', sql] as const),
];

let folder: StateFolder;
let first: Ended;
let database: EventDatabase;

beforeAll(async () => {
  folder = await StateFolder.make();
  first = await folder.run([]);
  await folder.run(['--change', '50']);
  database = await EventDatabase.open(join(folder.path, 'local'));
});
afterAll(async () => {
  database[Symbol.dispose]();
  await folder[Symbol.asyncDispose]();
});

test('the example of a typed query is the same in the README, docs/query.md and the help', () => {
  const sources = ['README.md', 'docs/query.md', 'local/query/command.ts'];
  expect([...new Set(EXAMPLES.map(([name]) => name))]).toEqual(expect.arrayContaining(sources));
  expect(EXAMPLES.length).toBeGreaterThan(12);
});

test.each(EXAMPLES)('the example of %s returns rows without an empty column: %s', async (_, sql) => {
  const result = await database.query(sql);
  const columns = result.columnNames();
  const rows = await result.getRows();
  expect(rows.length).toBeGreaterThan(0);
  if (/^(select|with)/.test(sql)) {
    expect(columns.filter((_, index) => rows.every(row => row[index] === null))).toEqual([]);
  }
});

test('npm start prints exactly the output that the README shows', () => {
  const [shown] = code(page('README.md'), 'text');
  expect(first.stdout).toContain(`\n${shown}`);
});

test('npm run query prints the output that the README shows', async () => {
  const readme = page('README.md');
  const [, sql = ''] = /npm run query -- "([^"]+)"/.exec(readme)!;
  const [, shown = ''] = code(readme, 'text');
  const result = await database.query(sql);
  const rows = await result.getRows();
  expect(rows.map(row => row.map(String))).toEqual(
    shown
      .trimEnd()
      .split('\n')
      .slice(2)
      .map(line => line.split(/ +/)),
  );
});
