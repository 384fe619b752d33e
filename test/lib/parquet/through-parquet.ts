import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Column } from '../../../lib/delivery/parquet-columns.ts';
import { duckDbType } from './duckdb-type.ts';

/** Lines written to Parquet by DuckDB, with the types that the table declares, and read back: a JSON text each, without nulls. */
export async function throughParquet(lines: readonly string[], columns: readonly Column[]): Promise<object[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parquet-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const [json, parquet] = [path.join(folder, 'lines.json'), path.join(folder, 'events.parquet')];
    await writeFile(json, lines.map(line => `${line}\n`).join(''));
    const types = columns.map(({ name, type }) => `"${name}": '${duckDbType(type)}'`);
    const typed = `read_json('${json}', format='newline_delimited', columns={${types}})`;
    await connection.run(`COPY (SELECT * FROM ${typed}) TO '${parquet}' (FORMAT parquet, COMPRESSION snappy)`);
    const rows = await connection.runAndReadAll(`SELECT to_json(event)::VARCHAR FROM read_parquet('${parquet}') event`);
    return rows.getRows().map(([text]) => JSON.parse(String(text), withoutNull));
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true });
  }
}

/** Parquet has no members that are absent: they are null. */
export function withoutNull(_: string, value: unknown): unknown {
  return value === null ? undefined : value;
}
