import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generatedMembers } from '../../local/api-simulator/seed.ts';
import { SQL_VIEWS } from '../../local/query/views.ts';
import { column, type LinesDatabase, openDuckDbLines } from '../local/query/support/lines-database.ts';
import { page, section } from './pages.ts';
import { exampleLines, QUERY_EXAMPLES, TYPED_EXAMPLES } from './query-examples.ts';

let database: LinesDatabase;
beforeAll(async () => {
  database = await openDuckDbLines();
  const now = new Date().toISOString();
  await database.hold(exampleLines(now), now.slice(0, 10).replaceAll('-', '/'));
});
afterAll(async () => database[Symbol.asyncDispose]());

/** A contract: columns are added at the end, and none changes its meaning. */
const COLUMNS: Readonly<Record<string, string>> = {
  current_assets: 'connector, id, updated_at, forwarded_at, sequence, event_id, stream_position, dead_letter, row',
  current_threats:
    'connector, id, asset_id, updated_at, forwarded_at, sequence, event_id, stream_position, dead_letter, row',
  removed_assets: 'connector, id, removed_at, forwarded_at, sequence, event_id, stream_position, dead_letter, row',
  dns_blocks: 'connector, id, blocked_at, forwarded_at, sequence, event_id, dead_letter, row',
  changes:
    'connector, stream, id, sequence, event_id, change, kind, time, forwarded_at, first_forwarded_at, asset_id, dead_letter, row, delivery_day, reason',
  latest_events:
    'connector, stream, id, sequence, event_id, kind, time, forwarded_at, stream_position, asset_id, dead_letter, row, delivery_day, reason',
  latest_inventory:
    'connector, stream, id, sequence, event_id, kind, time, forwarded_at, stream_position, asset_id, dead_letter, row, delivery_day, reason',
  latest_blocks:
    'connector, stream, id, sequence, event_id, kind, time, forwarded_at, stream_position, asset_id, dead_letter, row, delivery_day, reason',
  events:
    'connector, stream, id, sequence, event_id, kind, time, forwarded_at, stream_position, asset_id, dead_letter, row, delivery_day, refresh, reason',
};

test('each view has its documented columns in their order', async () => {
  const actual: [string, string][] = [];
  for (const { name } of SQL_VIEWS) {
    actual.push([name, (await column(database, `select column_name from (describe ${name})`)).join(', ')]);
  }
  expect(Object.fromEntries(actual)).toEqual(COLUMNS);
});

test('the table of the views in docs/query.md names every view', () => {
  const text = section(page('docs/query.md'), '## The views');
  expect(SQL_VIEWS.map(({ name }) => name).filter(name => !text.includes(`\`${name}\``))).toEqual([]);
});

const EXAMPLES = [...QUERY_EXAMPLES, ...TYPED_EXAMPLES];

test.each(EXAMPLES)('the example query of %s returns rows without an empty column: %s', async (_, sql) => {
  const rows = await database.rows(sql);
  expect(rows.length).toBeGreaterThan(0);
  if (sql.startsWith('describe')) return;
  expect(Object.keys(rows[0]!).filter(column => rows.every(row => row[column] === null))).toEqual([]);
});

test('the rows of npm start have the members that the example queries extract', () => {
  const extracted = EXAMPLES.flatMap(([, sql]) => [...sql.matchAll(/'\$\.(\w+)'/g)].map(([, name]) => name!));
  const members = (['assets', 'threats'] as const).flatMap(name =>
    Object.keys(JSON.parse(`{${generatedMembers(name, 1, 0)}}`)),
  );
  expect(extracted.length).toBeGreaterThan(2);
  expect(extracted.filter(name => !members.includes(name))).toEqual([]);
});
