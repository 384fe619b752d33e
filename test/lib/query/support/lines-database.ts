/** The views over lines in memory: on DuckDB, or on Trino where a run has it. */
import type { Json } from '@duckdb/node-api';
import type { ColumnType } from '../../../../lib/query/views.ts';
import { running } from '../../../real/running.ts';
import { openTrinoLines } from '../../../real/trino/trino-lines.ts';
import { openDuckDbLines } from './duckdb-lines.ts';

export interface LinesDatabase extends AsyncDisposable {
  /** Holds these lines, and nothing that it held before. */
  hold(lines: readonly string[], deliveryDay?: string): Promise<void>;
  rows(sql: string): Promise<Record<string, Json>[]>;
  /** Each row's values, in the order of the columns. */
  tuples(sql: string): Promise<Json[][]>;
  /** What the engine makes of a view's columns, in their order. */
  columns(view: string): Promise<[name: string, type: ColumnType][]>;
}

/** To open one takes longer than what most tests ask of it. */
export async function openLinesDatabase(): Promise<LinesDatabase> {
  const { trino } = running();
  return trino ? openTrinoLines(trino.url) : openDuckDbLines();
}

/** The first column. */
export async function column(database: LinesDatabase, sql: string): Promise<Json[]> {
  return (await database.tuples(sql)).map(row => row[0]!);
}
