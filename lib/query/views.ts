import { readFileSync } from 'node:fs';
import path from 'node:path';

/** By the name that both Athena and this file give it. Times are UTC. */
export type ColumnType = 'varchar' | 'timestamp(3)';

/** A view over the delivered events. Its SQL is one for Athena and for DuckDB: `duckdb.sql` has what DuckDB lacks. */
export interface View {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** A `select`, to be made a view of. */
  readonly sql: string;
}

const EVENT = {
  connector: 'varchar',
  stream: 'varchar',
  id: 'varchar',
  sequence: 'varchar',
  event_id: 'varchar',
  kind: 'varchar',
  time: 'timestamp(3)',
  forwarded_at: 'timestamp(3)',
  stream_position: 'varchar',
  asset_id: 'varchar',
  dead_letter: 'varchar',
  row: 'varchar',
  delivery_day: 'varchar',
} as const;

/** What every view of latest events ends in. */
const SENT = { forwarded_at: 'timestamp(3)', sequence: 'varchar', event_id: 'varchar' } as const;

/** Athena needs the columns of a view in the catalogue. A test compares them with the SQL. */
const COLUMNS: Readonly<Record<string, View['columns']>> = {
  events: { ...EVENT, prefix: 'varchar' },
  latest_inventory: EVENT,
  latest_blocks: EVENT,
  latest_events: EVENT,
  current_assets: {
    connector: 'varchar',
    id: 'varchar',
    updated_at: 'timestamp(3)',
    ...SENT,
    stream_position: 'varchar',
    dead_letter: 'varchar',
    row: 'varchar',
  },
  current_threats: {
    connector: 'varchar',
    id: 'varchar',
    asset_id: 'varchar',
    updated_at: 'timestamp(3)',
    ...SENT,
    stream_position: 'varchar',
    dead_letter: 'varchar',
    row: 'varchar',
  },
  removed_assets: {
    connector: 'varchar',
    id: 'varchar',
    removed_at: 'timestamp(3)',
    ...SENT,
    stream_position: 'varchar',
    dead_letter: 'varchar',
    row: 'varchar',
  },
  changes: {
    connector: 'varchar',
    stream: 'varchar',
    id: 'varchar',
    sequence: 'varchar',
    event_id: 'varchar',
    change: 'varchar',
    kind: 'varchar',
    time: 'timestamp(3)',
    forwarded_at: 'timestamp(3)',
    first_forwarded_at: 'timestamp(3)',
    asset_id: 'varchar',
    dead_letter: 'varchar',
    row: 'varchar',
    delivery_day: 'varchar',
  },
  dns_blocks: {
    connector: 'varchar',
    id: 'varchar',
    blocked_at: 'timestamp(3)',
    ...SENT,
    dead_letter: 'varchar',
    row: 'varchar',
  },
};

/** Every view, each after those that it reads. The first reads the relation `lines(line, prefix, delivery_day)`. */
export const VIEWS: readonly View[] = Object.entries(COLUMNS).map(([name, columns]) => ({
  name,
  columns,
  sql: sqlFile(path.join('views', `${name}.sql`)),
}));

/** Statements that teach DuckDB what the views use of Athena's SQL. */
export const DUCKDB_DIALECT = sqlFile('duckdb.sql');

function sqlFile(name: string): string {
  return readFileSync(path.join(import.meta.dirname, name), 'utf8');
}
