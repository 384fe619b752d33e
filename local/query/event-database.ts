import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api';
import { createViews } from './create-views.ts';
import { duckDbError } from './duckdb-error.ts';
import { linesOfFiles } from './lines-of-files.ts';
import { checkReadsOnly } from './reads-only.ts';
import { type CheckedFiles, checkFiles } from './sound-files.ts';

/** The delivered files as views. Each is checked first, and read whole or not at all; nothing is ever written. */
export class EventDatabase implements Disposable {
  /** What is asked, and what is left out. */
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
      for (const statement of linesOfFiles(checked.sound)) await connection.run(statement);
      await createViews(connection);
      await connection.run('set lock_configuration = true');
    } catch (cause) {
      database[Symbol.dispose]();
      throw duckDbError(cause);
    }
    return database;
  }

  /** Runs one statement that reads; its rows come as they are asked for. @throws QueryFailedError */
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
  // Sorts larger than memory spill here; by default they would into the working directory.
  temp_directory: join(tmpdir(), `security-data-query-${process.pid}`),
};
