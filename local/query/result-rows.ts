import type { DuckDBResult, Json } from '@duckdb/node-api';
import { cellValue } from './cell-value.ts';
import { duckDbError } from './duckdb-error.ts';

/** The rows of a result in pieces, as they come. @throws QueryFailedError when a row cannot be made, amid the others */
export async function* resultRows(result: DuckDBResult): AsyncGenerator<(Json | null)[][]> {
  try {
    yield* result.yieldConvertedRows(cellValue);
  } catch (cause) {
    throw duckDbError(cause);
  }
}
