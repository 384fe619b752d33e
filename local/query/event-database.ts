import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type DuckDBAppender, type DuckDBConnection, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api';
import { terminalLine } from '../../bin/terminal/terminal-text.ts';
import { DUCKDB_DIALECT, SQL_VIEWS } from './views.ts';

/** The options are wrong, or there are no files. */
export class QueryRequestError extends Error {
  override readonly name = 'QueryRequestError';
}

/** The SQL cannot be run. The message contains no value of a row. */
export class QueryFailedError extends Error {
  override readonly name = 'QueryFailedError';
}

export interface SkippedFile {
  readonly file: string;
  /** The problem, as the end of a sentence that begins with the name of the file. */
  readonly problem: string;
}

/**
 * The views over the delivered files of a folder, in memory. SQL cannot read or write any other
 * file.
 */
export class EventDatabase implements Disposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  files = 0;
  /** Files that were skipped as a whole. */
  readonly skipped: SkippedFile[] = [];

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** @throws QueryRequestError when there are no files */
  static async open(folder: string): Promise<EventDatabase> {
    const files = await eventFiles(resolve(folder));
    // DuckDB puts tables and sorts that exceed its memory limit into this folder. By default it
    // would use the working directory.
    const temporary = join(tmpdir(), `security-data-query-${randomUUID()}`);
    const instance = await DuckDBInstance.create(':memory:', { temp_directory: temporary });
    const database = new EventDatabase(instance, await instance.connect());
    await database.#load(files);
    return database;
  }

  async #load(files: readonly string[]): Promise<void> {
    await this.#connection.run(LINES);
    const appender = await this.#connection.createAppender('lines');
    for (const file of files) {
      const problem = await appendFile(appender, file);
      if (problem === undefined) this.files += 1;
      else this.skipped.push({ file, problem });
    }
    appender.closeSync();
    await createViews(this.#connection);
    await this.#connection.run('set enable_external_access = false; set lock_configuration = true');
  }

  /** Streams the rows of one statement. @throws QueryFailedError */
  async query(sql: string): Promise<DuckDBResult> {
    const statement = await this.#prepare(sql);
    return statement.stream().catch(throwRowError);
  }

  /**
   * Prepares one statement. DuckDB checks names and grammar before it reads a row. Only messages of
   * these checks are shown, because they cannot contain a row. They point to the place in the SQL.
   */
  async #prepare(sql: string) {
    try {
      const statements = await this.#connection.extractStatements(sql);
      if (statements.count !== 1) throw new QueryFailedError('Run one statement at a time.');
      return await statements.prepare(0);
    } catch (cause) {
      const message = (cause as Error).message.replace('Failed to extract statements: ', '');
      if (cause instanceof QueryFailedError) throw cause;
      if (/^Parser Error/.test(message)) throw new QueryFailedError(message, { cause });
      if (/^(Binder|Catalog) Error/.test(message)) throw new QueryFailedError(`${message}\n\n${NAMES}`, { cause });
      return throwRowError(cause);
    }
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

const NAMES = 'Without SQL, npm run query lists the views and their columns.';

/**
 * Throws an error without DuckDB's message, because the message may quote a row.
 *
 * @throws QueryFailedError
 */
export function throwRowError(cause: unknown): never {
  const kind = /^[A-Z][A-Za-z ]*? Error/.exec((cause as Error).message)?.[0] ?? 'Error';
  const remedy =
    kind === 'Permission Error'
      ? 'A query reads only the views, and writes no file.'
      : 'DuckDB may quote a row here, so its message is not shown. If a value has another type than the SQL expects, use try_cast.';
  throw new QueryFailedError(`${kind}: the SQL failed. ${remedy}`, { cause });
}

/** Creates every view over the relation `lines(line, delivery_day)`. */
export async function createViews(connection: DuckDBConnection): Promise<void> {
  await connection.run(DUCKDB_DIALECT);
  for (const { sql } of SQL_VIEWS) await connection.run(sql);
}

const LINES = 'create table lines(line varchar, delivery_day varchar)';
/** Folders of a bucket that do not contain events. */
const NOT_EVENTS = ['delivery-errors', 'dead-letter'];

async function eventFiles(root: string): Promise<string[]> {
  const name = terminalLine(root);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(({ code }) => {
    const problem = code === 'ENOENT' ? `There is no folder ${name}` : `The folder ${name} cannot be read (${code})`;
    throw new QueryRequestError(`${problem}. ${WHAT_TO_DO}`);
  });
  const files = entries
    .filter(entry => entry.isFile() && entry.name.endsWith('.gz'))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !NOT_EVENTS.some(folder => relative(root, file).split(sep).includes(folder)));
  if (files.length > 0) return files.sort();
  throw new QueryRequestError(`There are no .gz files of events below ${name}. ${WHAT_TO_DO}`);
}

const WHAT_TO_DO = 'Run npm start first, or name the folder with --folder.';

/**
 * Appends every line of a file. If the file is damaged, appends nothing and returns the problem.
 */
async function appendFile(appender: DuckDBAppender, file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = gunzipSync(await readFile(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') return 'is cut short';
    return code?.startsWith('Z_') ? `is damaged (${message})` : `cannot be read (${code ?? message})`;
  }
  if (!isUtf8(bytes)) return 'is not UTF-8';
  const [, day] = /([0-9]{4}\/[0-9]{2}\/[0-9]{2})\/[0-9]{2}\/[^/]*$/.exec(file.replaceAll(sep, '/')) ?? [];
  for (let start = 0, end: number; start < bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start);
    if (end < 0) end = bytes.length;
    appender.appendVarchar(bytes.toString('utf8', start, end));
    if (day === undefined) appender.appendNull();
    else appender.appendVarchar(day);
    appender.endRow();
  }
  return undefined;
}
