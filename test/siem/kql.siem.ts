import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from '@jest/globals';
import { createRandom } from '../../local/platform/random.ts';
import { command } from '../support/parts/command.ts';
import { PARTS, part } from './parts.ts';
import { corpus, shuffledTwice } from './support/corpus.ts';
import { kqlQueries, sentinel } from './support/files.ts';
import { diagnostics, transformationDiagnostics } from './support/kusto.ts';
import { report } from './support/report.ts';
import { truthOf } from './support/truth.ts';

const { table: TABLE, functions: FUNCTIONS, members: MEMBERS } = sentinel();
const QUERIES = kqlQueries();

const SERVICE = `${PARTS.kusto.name} ${PARTS.kusto.version}`;
const ENGINE = `${PARTS['duckdb-kql'].name} ${PARTS['duckdb-kql'].version}`;

describe(`the KQL of siem/sentinel, by ${SERVICE}`, () => {
  test.each([...FUNCTIONS, ...QUERIES].map(({ name, kql }) => [name, kql]))('%s has no fault', (_, kql) => {
    expect(diagnostics(kql!)).toEqual([]);
  });

  test('the transformation of the data collection rule has no fault', () => {
    expect(transformationDiagnostics()).toEqual([]);
  });

  test('a name that is no column is a fault', () => {
    expect(diagnostics(`${TABLE.name} | where Kind == "upsert"`).join()).toContain('Kind');
  });
});

/** Kept in the order in which one uses another. What the translator lacks is not run. */
const NOT_TRANSLATED = ['SecurityDataChanges', 'NewCriticalThreats', 'AssetsRemoved'];

test(`the queries of siem/sentinel, translated by ${ENGINE}, answer as the views of this project do`, async () => {
  const { before, after } = await corpus();
  const lines = [...before, ...after];
  const truth = await truthOf(lines);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  const rows = async (sql: string) =>
    (await connection.runAndReadAll(sql))
      .getRowsJson()
      .map(row => row.join(' '))
      .sort();
  const columns = TABLE.columns.map(each => ({ ...each, member: MEMBERS.get(each.name)! }));
  await connection.run(
    `create table ${TABLE.name} (${columns.map(({ name, type }) => `"${name}" ${DUCKDB_TYPES[type]}`).join()})`,
  );
  const appender = await connection.createAppender(TABLE.name);
  for (const line of shuffledTwice(lines, createRandom(11))) {
    const at = line.indexOf(',"row":');
    const head = JSON.parse(at < 0 ? line : `${line.slice(0, at)}}`);
    for (const { member, type } of columns) {
      // The row matters to no query that is run here, and DuckDB refuses some.
      const value = member === 'row' ? undefined : timeOrText(head[member], type);
      if (value === undefined || value === null) appender.appendNull();
      else if (type === 'boolean') appender.appendBoolean(Boolean(value));
      else appender.appendVarchar(String(value));
    }
    appender.endRow();
  }
  appender.closeSync();
  const names = FUNCTIONS.filter(({ name }) => !NOT_TRANSLATED.includes(name));
  const schema: Record<string, string[]> = { [TABLE.name]: columns.map(({ name }) => name) };
  for (const { name, kql } of names) {
    await connection.run(`create view ${name} as ${await translated(kql, schema)}`);
    schema[name] = (await connection.runAndReadAll(`select * from ${name} limit 0`)).columnNames();
  }
  const now = await rows('select "Connector", "Stream", "Sequence" from SecurityDataNow');
  expect(now.length).toBeGreaterThan(10_000);
  expect(now).toEqual(truth.existing);
  expect((await rows('select "Connector", "EventId" from SecurityDataEvents')).length).toBe(truth.changes.length);
  expect((await rows('select * from SecurityDataRepeats')).length).toBe(truth.changes.length);
  const query = async (name: string) => translated(QUERIES.find(each => each.name === name)!.kql, schema);
  const notUpdated = await rows(`select "Connector", "Stream", "Sequence" from (${await query('NotUpdated')})`);
  expect(notUpdated).toEqual(truth.notUpdated);
  const days = await rows(
    `select "Connector", "Stream", strftime("Day", '%Y-%m-%d'), "Events" from (${await query('EventsByDay')})`,
  );
  expect(days).toEqual(truth.days);
  const newest = await rows(
    `select "Connector", "Stream", strftime("Newest", '%Y-%m-%dT%H:%M:%S.%gZ') from (${await query('Freshness')})`,
  );
  expect(newest).toEqual(truth.newest);
  const threats = truth.existing.filter(each => each.split(' ')[1] === 'threats');
  expect((await rows(`select "ObjectId" from (${await query('ThreatsWithAssets')})`)).length).toBe(threats.length);
  report(ENGINE, 'siem/sentinel SecurityDataNow', {
    lines: 2 * lines.length,
    ids: now.length,
    'of the view': truth.existingIds,
  });
  connection.closeSync();
  instance.closeSync();
});

const DUCKDB_TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  string: 'varchar',
  datetime: 'timestamp',
  dynamic: 'json',
};

/** An invalid time becomes null, as in a column of Log Analytics. */
function timeOrText(value: unknown, type: string): unknown {
  if (type !== 'datetime') return value;
  const time = Date.parse(String(value));
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

const PROGRAM = 'import json, sys, duckdb_kql; print(duckdb_kql.to_sql(sys.argv[1], schema=json.loads(sys.argv[2])))';

async function translated(kql: string, schema: object): Promise<string> {
  const python = join(part('duckdb-kql').folder, 'bin', 'python');
  return command(python, ['-c', PROGRAM, kql, JSON.stringify(schema)], 60);
}
