import { randomUUID } from 'node:crypto';
import type { Json } from '@duckdb/node-api';
import { SQL_VIEWS } from '../../../../local/query/views.ts';
import type { LinesDatabase } from '../../../local/query/support/lines-database.ts';
import { type Answer, execute } from './statement.ts';

/**
 * The views over lines, in a schema of their own on Trino. The files of siem/athena/ are run
 * unchanged: Athena gets no dialect either.
 */
export async function openTrinoLines(url: string): Promise<LinesDatabase> {
  const place = { catalog: CATALOG, schema: `s_${randomUUID().replaceAll('-', '')}` };
  const ask = (sql: string): Promise<Answer> => execute(url, sql, place);
  await ask(`create schema ${place.schema}`);
  await ask(LINES);
  for (const { sql } of SQL_VIEWS) await ask(sql);
  return {
    async hold(lines, deliveryDay = '2026/11/20') {
      // Tables in memory support only inserts.
      await ask('drop table lines');
      await ask(LINES);
      const values = lines.map(line => `(${literal(line)}, ${literal(deliveryDay)})`);
      for (let from = 0; from < values.length; from += LINES_AT_ONCE) {
        await ask(`insert into lines values ${values.slice(from, from + LINES_AT_ONCE).join()}`);
      }
    },
    async rows(sql) {
      const { columns, data } = await ask(sql);
      return data.map(row => Object.fromEntries(columns.map(({ name, type }, at) => [name, shown(row[at]!, type)])));
    },
    async tuples(sql) {
      const { columns, data } = await ask(sql);
      return data.map(row => row.map((value, at) => shown(value, columns[at]!.type)));
    },
    async [Symbol.asyncDispose]() {
      for (const { name } of SQL_VIEWS.toReversed()) await ask(`drop view ${name}`);
      await ask('drop table lines');
      await ask(`drop schema ${place.schema}`);
    },
  };
}

/** With many more, Trino would take longer to plan than to insert. */
const LINES_AT_ONCE = 1000;

const LINES = 'create table lines(line varchar, delivery_day varchar)';

/** The name of Athena's catalogue. */
const CATALOG = 'awsdatacatalog';

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Trino writes every digit of a timestamp's precision, DuckDB only those that it needs. */
function shown(value: Json, type: string): Json {
  return typeof value === 'string' && type.startsWith('timestamp') ? value.replace(/\.0+$|(\.\d*?)0+$/, '$1') : value;
}
