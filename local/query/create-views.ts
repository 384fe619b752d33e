import type { DuckDBConnection } from '@duckdb/node-api';
import { DUCKDB_DIALECT, VIEWS } from '../../lib/query/views.ts';

/** Creates every view over the relation `lines(line, delivery_day)`, which must be there. */
export async function createViews(connection: DuckDBConnection): Promise<void> {
  await connection.run(DUCKDB_DIALECT);
  for (const { name, sql } of VIEWS) await connection.run(`create view ${name} as ${sql}`);
}
