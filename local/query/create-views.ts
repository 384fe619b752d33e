import type { DuckDBConnection } from '@duckdb/node-api';
import { DUCKDB_DIALECT, VIEWS, type View } from '../../lib/query/views.ts';

/** Creates every view over the relation `lines(line, prefix, delivery_day)`, which must be there. */
export async function createViews(connection: DuckDBConnection, views: readonly View[] = VIEWS): Promise<void> {
  await connection.run(DUCKDB_DIALECT);
  for (const { name, sql } of views) await connection.run(`create view ${name} as ${sql}`);
}
