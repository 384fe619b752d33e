import { readFileSync } from 'node:fs';
import path from 'node:path';
import { classesOf, type OcsfClass, withdrawalClass } from '../../lambda/core/ocsf/classes.ts';
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

/** Kind of the event in the envelope, by class. */
const KINDS = STREAMS.flatMap((stream): [OcsfClass, string][] => {
  const { live, removed, withdrawn } = classesOf(stream);
  return [
    [live, `'${stream.kind}'`],
    ...(removed ? [[removed, "'tombstone'"] as [OcsfClass, string]] : []),
    ...(withdrawn ? [[withdrawn, "'withdrawn'"] as [OcsfClass, string]] : []),
    ...(stream.hasRowStates ? [[withdrawalClass(stream, 'filtered'), "'withdrawn'"] as [OcsfClass, string]] : []),
  ];
});

/** Values of streams and OCSF classes that the SQL files use. */
const SQL_FACTS = {
  immutable_streams: listed(IMMUTABLE.map(({ name }) => name)),
  removed_kinds: cases(KINDS, kind => kind === "'tombstone'"),
  other_kinds: cases(KINDS, kind => kind !== "'tombstone'"),
  ids: cases(
    STREAMS.flatMap(stream =>
      Object.values(classesOf(stream)).map((each: OcsfClass) => [
        each,
        `json_extract_scalar(head, '$.${each.idPath ?? 'metadata.original_event_uid'}')`,
      ]),
    ),
  ),
};

function listed(texts: readonly string[]): string {
  return texts.map(text => `'${text}'`).join(', ');
}

/** Branches of a SQL `case`, each once: by class, and by activity where the class alone does not decide. */
function cases(
  values: readonly (readonly [OcsfClass, string])[],
  isWanted: (value: string) => boolean = () => true,
): string {
  const lines = values.map(([each, value]) => {
    const isClear = values.every(([other, otherValue]) => other.uid !== each.uid || otherValue === value);
    const activities = [each.activity, ...(each.update === undefined ? [] : [each.update])].map(String);
    const activity = activities.length === 1 ? `= ${listed(activities)}` : `in (${listed(activities)})`;
    return isWanted(value)
      ? [`when class_uid = '${each.uid}'${isClear ? '' : ` and activity_id ${activity}`} then ${value}`]
      : [];
  });
  return [...new Set(lines.flat())].join('\n      ');
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

/** A view whose SQL is in a file. There `{{name}}` is replaced by facts of the streams. */
function fileView(name: string, columns: View['columns']): View {
  const sql = sqlFile(path.join('views', `${name}.sql`));
  return { name, columns, sql: sql.replace(/\{\{(\w+)\}\}/g, (_, fact: keyof typeof SQL_FACTS) => SQL_FACTS[fact]) };
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
