/**
 * The files of siem/athena/ on Athena's parts: the table with Hive's grammar and Trino's
 * partitions, the views on Trino.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ATHENA_FILES, SQL_VIEWS } from '../../../local/query/views.ts';
import { exampleLines, QUERY_EXAMPLES } from '../../documents/query-examples.ts';
import { playForViews, viewBreaches } from '../../histories/views.ts';
import { envelope } from '../../local/query/support/event-lines.ts';
import { type LinesDatabase, openDuckDbLines } from '../../local/query/support/lines-database.ts';
import { IDS, PATHS, PATHS_ROW, ROWS, SCALARS, TIMES } from '../../local/query/support/special-texts.ts';
import { part } from '../running.ts';
import { openTrinoLines } from './trino/trino-lines.ts';

const DAY_MILLISECONDS = 86_400_000;

/** Partitions from the first day to today. */
const daysSinceFirst = () => Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / DAY_MILLISECONDS) + 1;

test('the table has a partition for each day since 2026-01-01, at the prefix that Firehose uses', async () => {
  const before = daysSinceFirst();
  const { partitions, location } = await partitionsOf(ATHENA_FILES.get('02-lines.sql')!, 'delivery_day', '2026/11/20');
  expect(location).toBe('s3://BUCKET/events/2026/11/20/');
  // Midnight may have passed.
  expect([before, daysSinceFirst()]).toContain(partitions);
});

describe('the views on Trino', () => {
  let trino: LinesDatabase;
  let duckDb: LinesDatabase;
  beforeAll(async () => {
    trino = await openTrinoLines(part('trino').url);
    duckDb = await openDuckDbLines();
  });
  afterAll(async () => {
    await trino[Symbol.asyncDispose]();
    await duckDb[Symbol.asyncDispose]();
  });

  const holdInBoth = async (lines: readonly string[], day?: string) => {
    await trino.hold(lines, day);
    await duckDb.hold(lines, day);
  };
  /** DuckDB writes large integers as texts. */
  const answer = async (database: LinesDatabase, sql: string) =>
    (await database.tuples(sql)).map(row => row.map(value => (typeof value === 'number' ? `${value}` : value)));
  const expectSame = async (sql: string) => expect(await answer(trino, sql)).toEqual(await answer(duckDb, sql));

  test('the views on Trino show special texts in the same way as DuckDB', async () => {
    await holdInBoth([...specialLines(), '', '{"event_id":', 'null', '[]', '{"a":1}']);
    for (const { name } of SQL_VIEWS) await expectSame(`select * from ${name} order by event_id`);
    const paths = PATHS.map(([path], index) => `json_extract_scalar(row, '${path}') as c${index}`);
    await expectSame(`select sequence, ${paths.join()} from events order by sequence`);
  });

  test.each(QUERY_EXAMPLES)('the views on Trino return the same rows as DuckDB: %s', async (_, sql) => {
    const today = new Date().toISOString();
    await holdInBoth(exampleLines(today), today.slice(0, 10).replaceAll('-', '/'));
    await expectSame(sql);
  });

  test('the views on Trino show the truth after the history of each rule', async () => {
    expect(await viewBreaches(trino, await playForViews())).toEqual([]);
  });
});

function specialLines(): string[] {
  const events = [
    ...ROWS.map(([, row]) => ({ row })),
    ...IDS.map(([id]) => ({ id, assetId: id, stream: 'threats', row: '1' }) as const),
    ...SCALARS.map(([value]) => ({ row: `{"a":${value}}` })),
    ...TIMES.map(([time]) => ({ time, row: '1' })),
    { row: PATHS_ROW },
    { kind: 'tombstone', row: '{}' } as const,
    { stream: 'threats', kind: 'withdrawn', reason: 'filtered' } as const,
    { stream: 'dns-blocks', kind: 'dns_block', row: '1' } as const,
    { kind: 'oversize', deadLetter: 's3://bucket/dead-letter/a.json' } as const,
  ];
  return events.map((event, index) => {
    const sequence = index + 1;
    return envelope({ id: `row ${sequence}`, eventId: `e${String(sequence).padStart(4, '0')}`, ...event, sequence });
  });
}

interface Partitions {
  /** The number of all. */
  readonly partitions: number;
  /** The location of the partition that was asked for. */
  readonly location: string;
}

function partitionsOf(ddl: string, key: string, value: string): Promise<Partitions> {
  const source = join(import.meta.dirname, 'trino', 'LinesTable.java');
  return new Promise((resolve, reject) => {
    const args = ['-cp', join(part('trino').folder, 'lib', '*'), source, key, value];
    const child = execFile('java', args, { timeout: 100_000 }, (error, stdout) =>
      // One of the archives writes warnings first.
      error ? reject(error) : resolve(JSON.parse(stdout.trim().split('\n').at(-1)!)),
    );
    child.stdin!.end(ddl);
  });
}
