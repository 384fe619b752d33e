/**
 * The SQL files of siem/athena/, which are pasted into Athena. DuckDB runs the same files, after
 * `duckdb.sql` has defined the functions that DuckDB lacks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ATHENA = path.join(import.meta.dirname, '..', '..', 'siem', 'athena');

/** A view over the delivered events. */
export interface SqlView {
  readonly name: string;
  /** Text of the whole file: a comment and `create or replace view`. */
  readonly sql: string;
}

/** Texts of the files in siem/athena/ by file name, in the order in which they are run. */
export const ATHENA_FILES: ReadonlyMap<string, string> = new Map(
  readdirSync(ATHENA)
    .sort()
    .map(name => [name, readFileSync(path.join(ATHENA, name), 'utf8')]),
);

/**
 * All views, each after the views that it reads. Only `events` reads the relation `lines(line,
 * delivery_day)`.
 */
export const SQL_VIEWS: readonly SqlView[] = [...ATHENA_FILES.values()].flatMap(sql => {
  const [, name] = /^create or replace view (\w+) as$/m.exec(sql) ?? [];
  return name ? [{ name, sql }] : [];
});

/** SQL that defines functions of Athena in DuckDB. */
export const DUCKDB_DIALECT = readFileSync(path.join(import.meta.dirname, 'duckdb.sql'), 'utf8');
