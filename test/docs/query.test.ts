import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { VIEWS } from '../../lib/query/views.ts';
import { envelope } from '../lib/query/support/event-lines.ts';
import { type LinesDatabase, openLinesDatabase } from '../lib/query/support/lines-database.ts';
import { code, page, rows, section } from './pages.ts';

const text = page('docs/query.md');

test('the table of the views has their names and columns, in order', () => {
  const table = rows(section(text, '## The views')).map(cells => cells.map(cell => cell.replaceAll('`', '')));
  const listed = new Map(table.map(([name, , columns]) => [name!, columns!]));
  const documented = [...listed].map(([name, columns]) => [
    name,
    (/^as (\w+)$/.test(columns) ? listed.get(columns.slice('as '.length))! : columns).split(', '),
  ]);
  const declared = VIEWS.map(({ name, columns }) => [name, Object.keys(columns)]);
  expect(documented.sort()).toEqual(declared.sort());
});

describe('each example', () => {
  let database: LinesDatabase;
  beforeAll(async () => {
    database = await openLinesDatabase();
    const now = new Date().toISOString();
    const shared = { time: now, forwardedAt: now };
    const lines = [
      envelope({ ...shared, sequence: 1, id: 'asset-7f3a', row: '{"name":"web-01"}' }),
      envelope({ ...shared, sequence: 2, stream: 'threats', assetId: 'asset-7f3a', row: '{"severity":"high"}' }),
      envelope({ ...shared, sequence: 3, id: 'gone', kind: 'tombstone', row: '{}' }),
      envelope({ sequence: 4, id: 'aged', time: '2025-01-01T00:00:00.000Z', forwardedAt: now, row: '{}' }),
    ];
    await database.hold(lines, now.slice(0, 10).replaceAll('-', '/'));
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  test.each(code(section(text, '## Examples'), 'sql').map(sql => [sql.split('\n')[0]!, sql]))(
    'answers: %s',
    async (_, sql) => {
      expect((await database.rows(sql)).length).toBeGreaterThan(0);
    },
  );
});
