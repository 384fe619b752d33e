/** The views over lines in memory. */
import { DuckDBInstance, type Json } from '@duckdb/node-api';
import { createViews } from '../../../../local/query/event-database.ts';

export interface LinesDatabase extends AsyncDisposable {
  /** Holds these lines, and nothing that it held before. */
  hold(lines: readonly string[], deliveryDay?: string): Promise<void>;
  rows(sql: string): Promise<Record<string, Json>[]>;
  /** Each row's values, in the order of the columns. */
  tuples(sql: string): Promise<Json[][]>;
}

/**
 * Opens a database. Tests share it and replace its lines, because opening one takes longer than
 * most of their queries.
 */
export async function openDuckDbLines({ threads }: { readonly threads?: number } = {}): Promise<LinesDatabase> {
  const instance = await DuckDBInstance.create(':memory:', threads === undefined ? {} : { threads: String(threads) });
  const connection = await instance.connect();
  await connection.run('create table lines(line varchar, delivery_day varchar)');
  await createViews(connection);
  return {
    async hold(lines, deliveryDay = '2026/11/20') {
      await connection.run('delete from lines');
      const appender = await connection.createAppender('lines');
      for (const line of lines) {
        appender.appendVarchar(line);
        appender.appendVarchar(deliveryDay);
        appender.endRow();
      }
      appender.closeSync();
    },
    rows: async sql => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    tuples: async sql => (await connection.runAndReadAll(sql)).getRowsJson(),
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** The first column. */
export async function column(database: LinesDatabase, sql: string): Promise<Json[]> {
  return (await database.tuples(sql)).map(row => row[0]!);
}
