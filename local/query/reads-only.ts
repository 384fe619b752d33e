import type { DuckDBConnection } from '@duckdb/node-api';
import { QueryFailedError } from './errors.ts';

interface Parsed {
  /** What the parser stopped at; of other statements than those that read it is another kind of error. */
  readonly error: 'parser' | 'other' | undefined;
  readonly message: string;
  readonly statements: number;
}

/**
 * Lets one statement pass that reads. DuckDB's parser decides: to prepare a statement would be too late, `export` makes its folder then.
 *
 * @throws QueryFailedError
 */
export async function checkReadsOnly(connection: DuckDBConnection, sql: string): Promise<void> {
  const { error, message, statements } = await parsed(connection, sql);
  if (error === 'parser') throw await syntaxError(connection, sql, message);
  if (error) throw new QueryFailedError(ONLY_READING);
  if (statements !== 1) throw new QueryFailedError(`One statement at a time, please: these are ${statements}.`);
}

const ONLY_READING =
  'Only statements that read are run: select, with, from, values, describe, summarize, show. Nothing was done.';

/** Of the tree only this is taken out: it may hold the number `Infinity`, which is no JSON. */
const PARSED = `
  select tree ->> '$.error', tree ->> '$.error_type', tree ->> '$.error_message', json_array_length(tree, '$.statements')
  from (select json_serialize_sql(cast($1 as varchar)) as tree)`;

/** DuckDB serializes nothing but what reads. */
async function parsed(connection: DuckDBConnection, sql: string): Promise<Parsed> {
  const statement = await connection.prepare(PARSED);
  statement.bindVarchar(1, sql);
  const [row] = (await statement.runAndReadAll()).getRows();
  const [error, type, message, statements] = row!;
  const kind = type === 'parser' ? 'parser' : 'other';
  return { error: error === 'false' ? undefined : kind, message: String(message), statements: Number(statements) };
}

/** The same again, for the message that points to the place. */
async function syntaxError(connection: DuckDBConnection, sql: string, fallback: string): Promise<QueryFailedError> {
  try {
    await connection.extractStatements(sql);
  } catch (cause) {
    return new QueryFailedError((cause as Error).message.replace('Failed to extract statements: ', ''), { cause });
  }
  return new QueryFailedError(`Parser Error: ${fallback}`);
}
