/** The examples of docs/query.md, and lines for which each has an answer. */
import { envelope } from '../local/query/support/event-lines.ts';
import { code, page, section } from './pages.ts';

/** Each example with its first line as its name. */
export const QUERY_EXAMPLES: readonly (readonly [name: string, sql: string])[] = code(
  section(page('docs/query.md'), '## Examples'),
  'sql',
).map(sql => [sql.split('\n')[0]!, sql] as const);

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
