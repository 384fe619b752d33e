/**
 * The expected answers of documented queries, from this project's own views over the same lines.
 */
import { expect } from '@jest/globals';
import { openDuckDbLines } from '../../../local/query/support/lines-database.ts';
import { NOT_UPDATED } from './corpus.ts';

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
  /** `connector stream sequence` of what exists and was not updated for 30 days. */
  readonly notUpdated: readonly string[];
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
  const notUpdated = await words(
    `select connector, stream, sequence ${LATEST} where not (${GONE}) and "time" < now() at time zone 'UTC' - interval 30 day`,
  );
  expect(notUpdated.filter(each => each.startsWith('crashed'))).toEqual(
    NOT_UPDATED.map(sequence => `crashed assets ${String(sequence).padStart(20, '0')}`),
  );
  return {
    existing,
    notUpdated,
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
