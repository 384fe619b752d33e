import { DuckDBInstance } from '@duckdb/node-api';
import { VIEWS, type View } from '../../../../lib/query/views.ts';
import { createViews } from '../../../../local/query/event-database.ts';
import type { LinesDatabase } from './lines-database.ts';

/** DuckDB's name of each type. */
const TYPES = { VARCHAR: 'varchar', TIMESTAMP: 'timestamp(3)' } as const;

export interface DuckDbOptions {
  readonly threads?: number;
  readonly views?: readonly View[];
}

export async function openDuckDbLines({ threads, views = VIEWS }: DuckDbOptions = {}): Promise<LinesDatabase> {
  const instance = await DuckDBInstance.create(':memory:', threads === undefined ? {} : { threads: String(threads) });
  const connection = await instance.connect();
  await connection.run('create table lines(line varchar, delivery_day varchar)');
  await createViews(connection, views);
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
    async columns(view) {
      const described = await connection.runAndReadAll(`select column_name, column_type from (describe ${view})`);
      return described.getRowsJson().map(([name, type]) => [String(name), TYPES[type as keyof typeof TYPES]]);
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
