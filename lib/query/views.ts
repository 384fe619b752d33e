import { readFileSync } from 'node:fs';
import path from 'node:path';
import { STREAMS, type Stream } from '../../lambda/streams.ts';

/** Type of a column, named as in Athena and in this file. Times are UTC. */
export type ColumnType = 'varchar' | 'timestamp(3)';

/** A view over the delivered events. Its SQL is one for Athena and for DuckDB: `duckdb.sql` has what DuckDB lacks. */
export interface View {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The `select` of the view. */
  readonly sql: string;
}

const VERSIONED: readonly Stream[] = STREAMS.filter(({ hasRowStates }) => hasRowStates);
const IMMUTABLE: readonly Stream[] = STREAMS.filter(({ hasRowStates }) => !hasRowStates);

const IMMUTABLE_STREAMS = IMMUTABLE.map(({ name }) => `'${name}'`).join(', ');

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

/** The last columns of every view of latest events. */
const SENT = { forwarded_at: 'timestamp(3)', sequence: 'varchar', event_id: 'varchar' } as const;

/** Every view, each after those that it reads. The first reads the relation `lines(line, delivery_day)`. */
export const VIEWS: readonly View[] = [
  fileView('events', { ...EVENT, refresh: 'varchar', reason: 'varchar' }),
  ...['latest_inventory', 'latest_blocks', 'latest_events'].map(name =>
    fileView(name, { ...EVENT, reason: 'varchar' }),
  ),
  ...VERSIONED.map(presentView),
  ...VERSIONED.filter(({ tombstones }) => tombstones).map(removedView),
  fileView('changes', {
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
    reason: 'varchar',
  }),
  ...IMMUTABLE.map(immutableView),
];

/** A view whose SQL is in a file. */
function fileView(name: string, columns: View['columns']): View {
  const sql = sqlFile(path.join('views', `${name}.sql`));
  return { name, columns, sql: sql.replace('{{immutable_streams}}', IMMUTABLE_STREAMS) };
}

function presentView({ name, singular, timeMember, cascadesFrom }: Stream): View {
  return {
    name: `current_${tableName(name)}`,
    columns: {
      connector: 'varchar',
      id: 'varchar',
      ...(cascadesFrom && { asset_id: 'varchar' }),
      [timeMember]: 'timestamp(3)',
      ...SENT,
      stream_position: 'varchar',
      dead_letter: 'varchar',
      row: 'varchar',
    },
    sql: `-- Each ${singular} that exists now. Of one that was too large (\`dead_letter\`), only the stored row says whether it was removed.
select connector, id, ${cascadesFrom ? 'asset_id, ' : ''}"time" as ${timeMember}, forwarded_at, sequence, event_id, stream_position, dead_letter, "row"
from latest_inventory
where stream = '${name}' and kind not in ('tombstone', 'withdrawn')
`,
  };
}

function removedView({ name, singular }: Stream): View {
  return {
    name: `removed_${tableName(name)}`,
    columns: {
      connector: 'varchar',
      id: 'varchar',
      removed_at: 'timestamp(3)',
      ...SENT,
      stream_position: 'varchar',
      dead_letter: 'varchar',
      row: 'varchar',
    },
    sql: `-- Each ${singular} that is gone, and since when. \`row\` is the tombstone.
select connector, id, "time" as removed_at, forwarded_at, sequence, event_id, stream_position, dead_letter, "row"
from latest_inventory
where stream = '${name}' and kind = 'tombstone'
`,
  };
}

function immutableView({ name, singular, timeMember }: Stream): View {
  return {
    name: tableName(name),
    columns: {
      connector: 'varchar',
      id: 'varchar',
      [timeMember]: 'timestamp(3)',
      ...SENT,
      dead_letter: 'varchar',
      row: 'varchar',
    },
    sql: `-- Each ${singular} once.
select connector, id, "time" as ${timeMember}, forwarded_at, sequence, event_id, dead_letter, "row"
from latest_blocks
where stream = '${name}'
`,
  };
}

function tableName(stream: string): string {
  return stream.replaceAll('-', '_');
}

/** Definitions for DuckDB of what the views use of Athena's SQL. */
export const DUCKDB_DIALECT = sqlFile('duckdb.sql');

function sqlFile(name: string): string {
  return readFileSync(path.join(import.meta.dirname, name), 'utf8');
}
