/** The examples of docs/query.md, and lines for which each has an answer. */
import { envelope } from '../local/query/support/event-lines.ts';
import { code, onPages, PAGES, page } from './pages.ts';

type Example = readonly [page: string, sql: string];

/** The examples of docs/query.md, which DuckDB and Athena accept. */
export const QUERY_EXAMPLES: readonly Example[] = code(page('docs/query.md'), 'sql').map(sql => ['docs/query.md', sql]);

/** SQL that a page or the help hands to `npm run query`. */
export const TYPED_EXAMPLES = [...PAGES, 'local/query/command.ts'].flatMap(name =>
  onPages(/npm run (?:--silent )?query -- [^"\n]*"([^"\n]+)"/g, [name]).map(({ found }): Example => [name, found]),
);

/** Lines that were delivered at this time. */
export function exampleLines(now: string): string[] {
  const shared = { time: now, forwardedAt: now };
  return [
    envelope({ ...shared, sequence: 1, id: 'asset-7f3a', row: '{"name":"web-01"}' }),
    envelope({ ...shared, sequence: 2, stream: 'threats', assetId: 'asset-7f3a', row: '{"severity":"high"}' }),
    envelope({ ...shared, sequence: 3, id: 'gone', kind: 'tombstone', row: '{}' }),
    envelope({ sequence: 4, id: 'aged', time: '2025-01-01T00:00:00.000Z', forwardedAt: now, row: '{}' }),
  ];
}
