import type { DuckDBResult } from '@duckdb/node-api';
import { resultRows } from './result-rows.ts';

/** The rows of a result, each as the text of one JSON object. */
export async function* jsonLines(result: DuckDBResult): AsyncGenerator<string> {
  // Written by hand: an object would put names such as "2" first, and lose `__proto__`.
  const names = result.deduplicatedColumnNames().map(name => JSON.stringify(name));
  for await (const rows of resultRows(result)) {
    for (const row of rows) yield `{${row.map((cell, index) => `${names[index]}:${JSON.stringify(cell)}`).join()}}`;
  }
}
