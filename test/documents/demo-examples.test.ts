/** What a reader may type after `npm start` and `npm start -- --change 50` must return rows. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventDatabase } from '../../local/query/event-database.ts';
import { type Ended, StateFolder } from '../local/start/start-process.ts';
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

const SMALL = ['--assets', '50', '--threats', '50', '--dns-blocks', '50'];
let folder: StateFolder;
let first: Ended;
let database: EventDatabase;

beforeAll(async () => {
  folder = await StateFolder.make();
  first = await folder.run([]);
  // Fewer rows answer sooner, and what they answer, those of the README answer too.
  await folder.run(['--name', 'small', ...SMALL]);
  await folder.run(['--name', 'small', '--change', '50']);
  database = await EventDatabase.open(join(folder.path, 'small'));
});
afterAll(async () => {
  database[Symbol.dispose]();
  await folder[Symbol.asyncDispose]();
});

describe('an example that is typed against the data of npm start', () => {
  test('the example of a typed query is in the README, in docs/query.md and in the help', () => {
    const sources = ['README.md', 'docs/query.md', 'local/query/command.ts'];
    expect([...new Set(EXAMPLES.map(([name]) => name))]).toEqual(expect.arrayContaining(sources));
    expect(EXAMPLES.length).toBeGreaterThan(12);
  });

  test.each(EXAMPLES)('of %s answers with rows, and no column of them is empty: %s', async (_, sql) => {
    const result = await database.query(sql);
    const columns = result.columnNames();
    const rows = await result.getRows();
    expect(rows.length).toBeGreaterThan(0);
    if (/^(select|with)/.test(sql)) {
      expect(columns.filter((_, index) => rows.every(row => row[index] === null))).toEqual([]);
    }
  });

  test('prints the output that the README shows, without a line left out', () => {
    const [shown] = code(page('README.md'), 'text');
    expect(first.stdout).toContain(`\n${shown}`);
  });
});
