/** Trino's protocol for clients: a statement is posted, its answer fetched page by page. */
import type { Json } from '@duckdb/node-api';

export interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly (readonly Json[])[];
}

interface Page {
  readonly nextUri?: string;
  readonly columns?: Answer['columns'];
  readonly data?: Answer['data'];
  readonly error?: { readonly errorName: string; readonly message: string };
}

/** Trino refused or failed. */
class StatementError extends Error {
  override readonly name = 'StatementError';
}

export interface Place {
  readonly catalog: string;
  readonly schema: string;
}

const SESSION = {
  'X-Trino-User': 'test',
  // Athena's time zone, whatever this machine's is.
  'X-Trino-Time-Zone': 'UTC',
  // Makes the type of a timestamp include its precision.
  'X-Trino-Client-Capabilities': 'PARAMETRIC_DATETIME',
};

/** @throws StatementError */
export async function execute(url: string, sql: string, { catalog, schema }: Place): Promise<Answer> {
  const headers = { ...SESSION, 'X-Trino-Catalog': catalog, 'X-Trino-Schema': schema };
  let page = await read(await fetch(`${url}/v1/statement`, { method: 'POST', headers, body: sql }));
  let columns: Answer['columns'] = [];
  const data: (readonly Json[])[] = [];
  for (;;) {
    columns = page.columns ?? columns;
    data.push(...(page.data ?? []));
    if (page.nextUri === undefined) return { columns, data };
    page = await read(await fetch(page.nextUri));
  }
}

async function read(response: Response): Promise<Page> {
  if (!response.ok) throw new StatementError(`HTTP ${response.status}: ${await response.text()}`);
  const page = (await response.json()) as Page;
  if (page.error) throw new StatementError(`${page.error.errorName}: ${page.error.message}`);
  return page;
}
