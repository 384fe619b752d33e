/** The project's own view of the same lines: what a documented query must answer. */
import { openDuckDbLines } from '../../lib/query/support/duckdb-lines.ts';

export interface Truth {
  /** `connector stream sequence` of each event that holds and whose id exists. */
  readonly existing: readonly string[];
  readonly gone: readonly string[];
  /** `connector stream day events`, each event once. */
  readonly days: readonly string[];
  /** `connector stream newest`. */
  readonly newest: readonly string[];
  /** `connector stream event_id change`. */
  readonly changes: readonly string[];
  readonly existingIds: number;
}

const LATEST = 'from latest_inventory';
const GONE = "kind in ('tombstone', 'withdrawn')";
const EXISTING = `(select connector, 'assets' as stream, sequence from current_assets
  union all select connector, 'threats' as stream, sequence from current_threats)`;

export async function truthOf(lines: readonly string[]): Promise<Truth> {
  await using database = await openDuckDbLines();
  await database.hold(lines);
  const words = async (sql: string) => (await database.tuples(sql)).map(row => row.join(' ')).sort();
  const existing = await words(`select connector, stream, sequence from ${EXISTING}`);
  return {
    existing,
    existingIds: existing.length,
    gone: await words(`select connector, stream, sequence ${LATEST} where ${GONE}`),
    days: await words(
      `select connector, stream, strftime(forwarded_at, '%Y-%m-%d') as day, count(distinct event_id) from events group by all`,
    ),
    newest: await words(
      `select connector, stream, strftime(max(forwarded_at), '%Y-%m-%dT%H:%M:%S.%gZ') from events group by all`,
    ),
    changes: await words('select connector, stream, event_id, change from changes'),
  };
}
