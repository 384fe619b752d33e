import type { DuckDBConnection } from '@duckdb/node-api';
import { QueryFailedError } from './errors.ts';

interface Parsed {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly statements?: readonly unknown[];
}

/**
 * Lets one statement pass that reads. DuckDB's parser decides: to prepare a statement would be too late, `export` makes its folder then.
 *
 * @throws QueryFailedError
 */
export async function checkReadsOnly(connection: DuckDBConnection, sql: string): Promise<void> {
  const { error, error_type, error_message, statements = [] } = await parsed(connection, sql);
  if (error && error_type === 'parser') throw await syntaxError(connection, sql, error_message);
  if (error) throw new QueryFailedError(ONLY_READING);
  if (statements.length !== 1)
    throw new QueryFailedError(`One statement at a time, please: these are ${statements.length}.`);
}

const ONLY_READING =
  'Only statements that read are run: select, with, from, values, describe, summarize, show. Nothing was done.';

/** DuckDB serializes nothing but what reads. */
async function parsed(connection: DuckDBConnection, sql: string): Promise<Parsed> {
  const statement = await connection.prepare('select cast(json_serialize_sql(cast($1 as varchar)) as varchar)');
  statement.bindVarchar(1, sql);
  const [row] = (await statement.runAndReadAll()).getRows();
  return JSON.parse(String(row![0]));
}

/** The same again, for the message that points to the place. */
async function syntaxError(connection: DuckDBConnection, sql: string, fallback = ''): Promise<QueryFailedError> {
  try {
    await connection.extractStatements(sql);
  } catch (cause) {
    return new QueryFailedError((cause as Error).message.replace('Failed to extract statements: ', ''), { cause });
  }
  return new QueryFailedError(`Parser Error: ${fallback}`);
}
