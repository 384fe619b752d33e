import { STREAMS } from '../../lambda/streams.ts';

const STREAM_NAMES = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(STREAMS.map(({ name }) => name));

/** What a line is: the connector's own events (docs/events.md), or OCSF. */
export type FormatName = 'envelope' | 'ocsf';

/** A column of the Glue table that Firehose converts lines by. */
export interface Column {
  readonly name: string;
  /** As Hive writes types. */
  readonly type: string;
  readonly comment: string;
}

/**
 * The columns that hold every line of a format. A line whose value does not fit its column is refused as a whole, and a member without a
 * column is dropped without a word, so the columns are as wide as the schema of the events allows.
 */
export function columnsOf(format: FormatName): readonly Column[] {
  return format === 'envelope' ? ENVELOPE : OCSF;
}

function text(name: string, comment: string): Column {
  return { name, type: 'string', comment };
}

function number(name: string, type: 'int' | 'bigint', comment: string): Column {
  return { name, type, comment };
}

function struct(name: string, members: Readonly<Record<string, string>>, comment: string): Column {
  return { name, type: structType(members), comment };
}

function structType(members: Readonly<Record<string, string>>): string {
  const list = Object.entries(members).map(([member, type]) => `${member}:${type}`);
  return `struct<${list.join(',')}>`;
}

/**
 * All text: `sequence` has more digits than a bigint holds, `time` may have any offset or fraction, `stream_position` may be text or number,
 * and `row` is whatever the API sends.
 */
const ENVELOPE: readonly Column[] = [
  text('event_id', 'One delivery; a repeat has the same'),
  text('sequence', 'The greatest of one connector, stream and id is the truth'),
  text('kind', 'upsert, tombstone, withdrawn, dns_block or oversize'),
  text('stream', STREAM_NAMES),
  text('id', 'Id of the row'),
  text('time', 'ISO 8601, when it happened'),
  text('stream_position', 'As delivered; not a time, not promised to sort'),
  text('connector', 'One organization'),
  text('forwarded_at', 'ISO 8601, when the event was made'),
  text('asset_id', 'Asset of a threat, where known'),
  text('dead_letter', 'Where the row of an oversize event is stored'),
  text('refresh', 'true on an event that repeats what the SIEM has'),
  text('reason', 'Why a row was withdrawn, where it did not disappear with its asset'),
  text('row', 'JSON text of the row, rewritten by the conversion'),
];

const PRODUCT = structType({ name: 'string', vendor_name: 'string', version: 'string' });

const OCSF: readonly Column[] = [
  number('category_uid', 'int', 'Category'),
  number('class_uid', 'int', 'Class'),
  number('activity_id', 'int', 'Activity'),
  text('activity_name', 'Name of the activity'),
  number('type_uid', 'bigint', 'Class and activity'),
  number('time', 'bigint', 'Milliseconds since 1970'),
  number('severity_id', 'int', 'Severity'),
  text('severity', 'Name of the severity, where a member is mapped to it'),
  text('message', 'For people'),
  text('status_detail', 'Why a threat was withdrawn'),
  struct(
    'metadata',
    {
      uid: 'string',
      sequence: 'bigint',
      log_name: 'string',
      tenant_uid: 'string',
      version: 'string',
      profiles: 'array<string>',
      product: PRODUCT,
      processed_time: 'bigint',
      original_event_uid: 'string',
      original_time: 'string',
      is_truncated: 'boolean',
    },
    'uid is the event_id, sequence decides what is true',
  ),
  struct('device', { uid: 'string', type_id: 'int', name: 'string', hostname: 'string' }, 'An asset'),
  struct('entity', { uid: 'string', name: 'string', type_id: 'int', type: 'string' }, 'An asset that was removed'),
  struct('finding_info', { uid: 'string', title: 'string' }, 'A threat'),
  {
    name: 'resources',
    type: `array<${structType({ uid: 'string', type: 'string' })}>`,
    comment: 'The asset of a threat',
  },
  number('action_id', 'int', 'What was done about a DNS query'),
  text('action', 'Name of the action'),
  number('disposition_id', 'int', 'What became of a DNS query'),
  text('disposition', 'Name of the disposition'),
  struct('src_endpoint', { name: 'string', hostname: 'string', ip: 'string', port: 'int' }, 'Who asked'),
  struct('query', { hostname: 'string' }, 'A DNS query that was blocked'),
  text('raw_data', 'The row as the API sent it'),
  text('unmapped', 'JSON text of what has no attribute'),
];
