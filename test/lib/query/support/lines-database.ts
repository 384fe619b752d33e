import { type DuckDBConnection, DuckDBInstance, type Json } from '@duckdb/node-api';
import { createViews } from '../../../../local/query/create-views.ts';

/** The views over lines in memory. To open one takes longer than what most tests ask of it. */
export class LinesDatabase implements Disposable {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<LinesDatabase> {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run('create table lines(line varchar, delivery_day varchar)');
    await createViews(connection);
    return new LinesDatabase(instance, connection);
  }

  /** Holds these lines, and nothing that it held before. */
  async hold(lines: readonly string[], deliveryDay = '2026/11/20'): Promise<void> {
    await this.#connection.run('delete from lines');
    const appender = await this.#connection.createAppender('lines');
    for (const line of lines) {
      appender.appendVarchar(line);
      appender.appendVarchar(deliveryDay);
      appender.endRow();
    }
    appender.closeSync();
  }

  async rows(sql: string): Promise<Record<string, Json>[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowObjectsJson();
  }

  /** The first column. */
  async column(sql: string): Promise<Json[]> {
    return (await this.#connection.runAndReadAll(sql)).getRowsJson().map(row => row[0]!);
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
