import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, type DuckDBResult } from '@duckdb/node-api';
import { createViews } from './create-views.ts';
import { QueryFailedError } from './errors.ts';
import { linesOfFiles } from './lines-of-files.ts';
import { checkReadsOnly } from './reads-only.ts';

/** The delivered files as views. Nothing is read before a query asks for it, and nothing is ever written. */
export class EventDatabase implements Disposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** @throws QueryFailedError when a file cannot be opened */
  static async open(files: readonly string[]): Promise<EventDatabase> {
    const instance = await DuckDBInstance.create(':memory:', OFFLINE);
    const connection = await instance.connect();
    const database = new EventDatabase(instance, connection);
    try {
      for (const statement of linesOfFiles(files)) await connection.run(statement);
      await createViews(connection);
      await connection.run('set lock_configuration = true');
    } catch (cause) {
      database[Symbol.dispose]();
      throw new QueryFailedError((cause as Error).message, { cause });
    }
    return database;
  }

  /** Runs one statement that reads; its rows come as they are asked for. @throws QueryFailedError */
  async query(sql: string): Promise<DuckDBResult> {
    await checkReadsOnly(this.#connection, sql);
    try {
      return await this.#connection.stream(sql);
    } catch (cause) {
      throw new QueryFailedError((cause as Error).message, { cause });
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
