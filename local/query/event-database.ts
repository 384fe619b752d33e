import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api';
import { DUCKDB_DIALECT, VIEWS, type View } from '../../lib/query/views.ts';
import { type CheckedFiles, checkFiles, LONGEST_LINE_BYTES, QueryFailedError } from './files.ts';

/** The delivered files as views. Each file is checked first, and read as a whole or skipped. Nothing is written. */
export class EventDatabase implements Disposable {
  /** The files that are queried, and those that are skipped. */
  readonly files: CheckedFiles;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(files: CheckedFiles, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.files = files;
    this.#instance = instance;
    this.#connection = connection;
  }

  /** @throws QueryFailedError */
  static async open(files: readonly string[]): Promise<EventDatabase> {
    const checked = await checkFiles(files);
    const instance = await DuckDBInstance.create(':memory:', OFFLINE);
    const connection = await instance.connect();
    const database = new EventDatabase(checked, instance, connection);
    try {
      for (const statement of linesOfFiles(checked.readable)) await connection.run(statement);
      await createViews(connection);
      await connection.run('set lock_configuration = true');
    } catch (cause) {
      database[Symbol.dispose]();
      throw duckDbError(cause);
    }
    return database;
  }

  /** Runs one reading statement and streams its rows. @throws QueryFailedError */
  async query(sql: string): Promise<DuckDBResult> {
    await checkReadsOnly(this.#connection, sql);
    try {
      return await this.#connection.stream(sql);
    } catch (cause) {
      throw duckDbError(cause);
    }
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

const OFFLINE = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // Sorts larger than memory spill here. The default is the working directory.
  temp_directory: join(tmpdir(), `security-data-query-${process.pid}`),
};

/** Statements that create the relation `lines(line, delivery_day)` and deny access to all other files. */
export function linesOfFiles(files: readonly string[]): string[] {
  const patterns = files.map(asPattern);
  return [
    files.length === 0 ? NO_LINES : linesOf(patterns),
    `set allowed_paths = [${[...new Set([...files, ...patterns])].map(quoted).join()}]`,
    'set enable_external_access = false',
  ];
}

const NO_LINES =
  'create view lines as select cast(null as varchar) as line, cast(null as varchar) as delivery_day where false';

function linesOf(patterns: readonly string[]): string {
  // One column and a delimiter that cannot occur, because JSON has no raw control characters. Nothing is parsed, so nothing is lost.
  // Folders such as `line=1` are not columns. The line end counts towards the line size.
  return `create view lines as
     select line, nullif(regexp_extract(filename, '([0-9]{4}/[0-9]{2}/[0-9]{2})/[0-9]{2}/[^/]*$', 1), '') as delivery_day
     from read_csv([${patterns.map(quoted).join()}], columns = {'line': 'varchar'}, auto_detect = false, header = false,
       delim = '\\x01', quote = '', escape = '', comment = '', new_line = '\\n', max_line_size = ${LONGEST_LINE_BYTES + 1},
       compression = 'gzip', filename = true, hive_partitioning = false)`;
}

/** DuckDB takes every path as a pattern. */
function asPattern(path: string): string {
  return path.replace(/[[*?]/g, '[$&]');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Creates every view over the relation `lines(line, delivery_day)`. */
export async function createViews(connection: DuckDBConnection, views: readonly View[] = VIEWS): Promise<void> {
  await connection.run(DUCKDB_DIALECT);
  for (const { name, sql } of views) await connection.run(`create view ${name} as ${sql}`);
}

interface Parsed {
  /** The kind of the parser's error. A statement that writes is of the other kind. */
  readonly error: 'parser' | 'other' | undefined;
  readonly message: string;
  readonly statements: number;
}

/**
 * Refuses everything but one reading statement. DuckDB's parser decides, because preparing `export` already creates its folder.
 *
 * @throws QueryFailedError
 */
export async function checkReadsOnly(connection: DuckDBConnection, sql: string): Promise<void> {
  const { error, message, statements } = await parsed(connection, sql);
  if (error === 'parser') throw await syntaxError(connection, sql, message);
  if (error) throw new QueryFailedError(ONLY_READING);
  if (statements !== 1) throw new QueryFailedError(`Run one statement at a time. These are ${statements}.`);
}

const ONLY_READING =
  'Only reading statements are allowed: select, with, from, values, describe, summarize, show. Nothing was run.';

/** Reads only these members of the tree, which may hold the number `Infinity` and so not be JSON. */
const PARSED = `
  select tree ->> '$.error', tree ->> '$.error_type', tree ->> '$.error_message', json_array_length(tree, '$.statements')
  from (select json_serialize_sql(cast($1 as varchar)) as tree)`;

/** DuckDB serializes only reading statements. */
async function parsed(connection: DuckDBConnection, sql: string): Promise<Parsed> {
  const statement = await connection.prepare(PARSED);
  statement.bindVarchar(1, sql);
  const [row] = (await statement.runAndReadAll()).getRows();
  const [error, type, message, statements] = row!;
  const kind = type === 'parser' ? 'parser' : 'other';
  return { error: error === 'false' ? undefined : kind, message: String(message), statements: Number(statements) };
}

/** Parses again, for the message that points to the place. */
async function syntaxError(connection: DuckDBConnection, sql: string, fallback: string): Promise<QueryFailedError> {
  try {
    await connection.extractStatements(sql);
  } catch (cause) {
    return new QueryFailedError((cause as Error).message.replace('Failed to extract statements: ', ''), { cause });
  }
  return new QueryFailedError(`Parser Error: ${fallback}`);
}

/**
 * DuckDB's message, with the place in the SQL. DuckDB also quotes lines and options of unreadable files and invalid JSON. Those
 * are removed, because a message must not contain data.
 */
export function duckDbError(cause: unknown): QueryFailedError {
  const { message } = cause as Error;
  return new QueryFailedError(fileWords(message) ?? message.replace(/\s*Input: "[\s\S]*$/, ''), { cause });
}

function fileWords(message: string): string | undefined {
  // For a missing file, DuckDB checks whether it is a folder.
  const file =
    /^ {2}file = (.*)\n {2}delimiter = /m.exec(message) ?? /Cannot access file "(.*)\/\*\*\/\*\.csv"/.exec(message);
  return file ? `${file[1]} cannot be read, because it changed after it was checked. Run the query again.` : undefined;
}
