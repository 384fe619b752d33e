/** The table of siem/sentinel in DuckDB, and queries of it in KQL, translated by duckdb-kql. */
import { join } from 'node:path';
import { DuckDBInstance, type Json } from '@duckdb/node-api';
import { command } from '../../../support/parts/command.ts';
import { part } from '../../running.ts';
import { sentinel } from './files.ts';

export interface Workspace extends AsyncDisposable {
  rows(sql: string): Promise<Json[][]>;
  /** Rows of a query by column. */
  objects(sql: string): Promise<Record<string, Json>[]>;
  /** Saves a function without parameters. */
  define(name: string, kql: string): Promise<void>;
  sqlOf(kql: string): Promise<string>;
}

/** @param options withRows: whether the column Row is filled */
export async function openWorkspace(
  lines: readonly string[],
  { withRows }: { readonly withRows: boolean },
): Promise<Workspace> {
  const { table, members } = sentinel();
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  const columns = table.columns.map(each => ({ ...each, member: members.get(each.name)! }));
  await connection.run(
    `create table ${table.name} (${columns.map(({ name, type }) => `"${name}" ${DUCKDB_TYPES[type]}`).join()})`,
  );
  const appender = await connection.createAppender(table.name);
  for (const line of lines) {
    const at = line.indexOf(',"row":');
    const head = JSON.parse(at < 0 ? line : `${line.slice(0, at)}}`);
    const row = withRows && at >= 0 ? readable(line.slice(at + ',"row":'.length, -1)) : undefined;
    for (const { member, type } of columns) {
      const value = member === 'row' ? row : timeOrText(head[member], type);
      if (value === undefined || value === null) appender.appendNull();
      else if (type === 'boolean') appender.appendBoolean(Boolean(value));
      else appender.appendVarchar(String(value));
    }
    appender.endRow();
  }
  appender.closeSync();
  const schema: Record<string, string[]> = { [table.name]: columns.map(({ name }) => name) };
  const sqlOf = (kql: string) => {
    const python = join(part('duckdb-kql').folder, 'bin', 'python');
    return command(python, ['-c', PROGRAM, kql, JSON.stringify(schema)], 60);
  };
  return {
    sqlOf,
    rows: async sql => (await connection.runAndReadAll(sql)).getRowsJson(),
    objects: async sql => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    async define(name, kql) {
      await connection.run(`create view ${name} as ${await sqlOf(kql)}`);
      schema[name] = (await connection.runAndReadAll(`select * from ${name} limit 0`)).columnNames();
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** DuckDB refuses half a surrogate pair and numbers beyond a double. */
function readable(row: string): string {
  return row.replaceAll('\\ud800', '').replaceAll('1e400', '1e300');
}

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
