/** Files for Elasticsearch and Kibana, read by Filebeat or Elastic Agent. */
import {
  ALL_STREAMS,
  CHOSEN_MEMBERS,
  comment,
  GENERATED,
  GONE_KINDS,
  HEAD,
  json,
  KEY,
  KEYWORD_CHARACTERS,
  KINDS,
  LINE_START,
  NOT_FOR,
  quoted,
  ROW_START,
  SILENCE_MINUTES,
  STATE_KINDS,
  STATE_STREAMS,
} from './event-facts.ts';
import { consoleFile, countRequests, existsNowRequest, type SearchFields } from './search-requests.ts';

const PREFIX = 'security_data';
const INDEX = 'logs-security_data.connector-default';
const PATTERN = 'logs-security_data.connector-*';

const FIELDS: SearchFields = { index: PATTERN, of: name => `${PREFIX}.${name}`, source: [`${PREFIX}.*`, 'message'] };

/** A text of any length: what is longer than a term may be is kept in the document and not indexed. */
export const KEYWORD = { type: 'keyword', ignore_above: KEYWORD_CHARACTERS } as const;
/** Accepts what the API sends as a time, also where this engine cannot read it. */
export const DATE = { type: 'date', ignore_malformed: true } as const;
const BOOLEAN = { type: 'boolean' } as const;
/** Kept in the document only. The row is not a field: as an object it may be refused. */
export const LINE = { type: 'keyword', index: false, doc_values: false } as const;

export function headProperties(): Record<string, object> {
  return Object.fromEntries(
    HEAD.map(({ name, isTime, isBoolean }) => [name, isBoolean ? BOOLEAN : isTime ? DATE : KEYWORD]),
  );
}

const TEMPLATE = {
  _meta: {
    description: 'Events of the Security Data Connector: the members of the envelope as fields, the line as text.',
    generated: GENERATED,
    notes: [
      'PUT _index_template/security-data. Elasticsearch 7.11 or later, or OpenSearch; Elasticsearch OSS 7.10 has no data streams.',
      'dynamic: false keeps members of later releases in the document without a field of their own.',
      ...NOT_FOR,
    ],
  },
  index_patterns: [PATTERN],
  priority: 500,
  data_stream: {},
  template: {
    mappings: {
      dynamic: false,
      properties: {
        '@timestamp': { type: 'date' },
        message: LINE,
        [PREFIX]: { properties: headProperties() },
        ...ecsProperties(),
      },
    },
  },
};

function ecsProperties(): Record<string, object> {
  const properties: Record<string, { properties: Record<string, object> }> = {};
  for (const field of ['event.id', 'event.action', ...CHOSEN_MEMBERS.map(({ ecs }) => ecs)]) {
    let level = properties;
    const names = field.split('.');
    for (const name of names.slice(0, -1)) {
      level[name] ??= { properties: {} };
      level = level[name].properties as typeof level;
    }
    Object.assign(level, { [names.at(-1)!]: { type: 'keyword', ignore_above: 1024 } });
  }
  return properties;
}

const ROW = '_row';

const INGEST_PIPELINE = {
  description:
    'Security Data Connector: chosen members of the row as ECS fields. The API promises none of them: change the list. ' +
    'A row without a member, or one that cannot be read, is kept without the field. Needs the processors of ingest-common and ' +
    'scripts: without them the request is refused and nothing changes. With format: ocsf or s3-parquet it finds no member. ' +
    `PUT _ingest/pipeline/security-data, then index.default_pipeline of the template. ${GENERATED}`,
  processors: [
    copy('security_data.event_id', 'event.id'),
    copy('security_data.kind', 'event.action'),
    { json: { field: 'message', target_field: ROW, ignore_failure: true } },
    ...CHOSEN_MEMBERS.map(({ stream, member, ecs }) => ({
      convert: {
        if: `ctx.${PREFIX}?.stream == '${stream}'`,
        field: `${ROW}.row.${member}`,
        target_field: ecs,
        type: 'string',
        ignore_missing: true,
        ignore_failure: true,
      },
    })),
    { remove: { field: ROW, ignore_missing: true } },
  ],
};

function copy(from: string, to: string): object {
  return { set: { field: to, copy_from: from, ignore_empty_value: true, ignore_failure: true } };
}

/**
 * The script of Filebeat's processor. It reads the members before the row and leaves the row alone: a row may hold numbers and names that
 * a decoder refuses or changes. ECMAScript 5.1, as Filebeat's engine has it.
 */
export const FILEBEAT_SCRIPT = `function process(event) {
  var line = event.Get("message");
  if (line.indexOf('${LINE_START}') !== 0) { event.Tag("security_data_other_format"); return; }
  var row = line.indexOf('${ROW_START}');
  var head;
  try { head = JSON.parse(row < 0 ? line : line.substring(0, row) + "}"); }
  catch (error) { event.Tag("security_data_unreadable"); return; }
  for (var name in head) {
    if (head[name] !== null) event.Put("${PREFIX}." + name, head[name]);
  }
  event.Put("@metadata._id", head.connector + "-" + head.event_id + "-" + head.sequence);
}
`;

function filebeat(): string {
  const notes = [
    'Filebeat, input aws-s3: reads the queue of the stack, one document per line.',
    GENERATED,
    '',
    ...NOT_FOR,
    'Such lines keep their text and get the tag security_data_other_format.',
    '',
    'external_id needs a Filebeat that has its pull request 36322. An older one ignores it, and AWS refuses the role.',
    'Without siemReader in the stack, attach SiemReaderPolicyArn to an identity of Elastic and leave role_arn and external_id out.',
    'The _id names one sending of one event. Firehose repeats byte for byte, so its repeats are refused as duplicates (409, dropped);',
    'what the connector sends again has a greater sequence and is kept, which the newest must be. Do not set document_id: event_id.',
  ];
  return `${comment('#', notes)}
filebeat.inputs:
  - type: aws-s3
    queue_url: <SiemQueueUrl>
    role_arn: <SiemReaderRoleArn>
    external_id: <externalId of siemReader>
    # Lines, whatever the object's content type says. gzip is recognized by its content.
    content_type: text/plain
    max_bytes: 10MiB
    # Failed messages go to the dead-letter queue of the stack. By default the input deletes them after five attempts.
    sqs.max_receive_count: -1
    processors:
      - script:
          lang: javascript
          source: |
${indented(FILEBEAT_SCRIPT, 12)}
      - timestamp:
          field: ${PREFIX}.forwarded_at
          layouts: ["2006-01-02T15:04:05.999Z"]
          ignore_missing: true

setup.template.enabled: false
setup.ilm.enabled: false
output.elasticsearch:
  hosts: ["<your cluster>"]
  index: ${INDEX}
  # A document that Elasticsearch refuses would be dropped without it.
  non_indexable_policy.dead_letter_index:
    index: security-data-refused
`;
}

function indented(text: string, spaces: number): string {
  return text
    .trimEnd()
    .split('\n')
    .map(line => ' '.repeat(spaces) + line)
    .join('\n');
}

function esql(): string {
  const streams = quoted(STATE_STREAMS);
  const field = (name: string) => `${PREFIX}.${name}`;
  const key = KEY.map(field).join(', ');
  const newest = `FROM ${PATTERN}
| WHERE ${field('stream')} IN (${streams}) AND ${field('kind')} IN (${quoted(STATE_KINDS)})
| EVAL version = CONCAT(${field('sequence')}, " ", ${field('kind')}, " ", ${field('event_id')})
| STATS version = MAX(version) BY ${key}
| DISSECT version "%{sequence} %{kind} %{event_id}"
| WHERE kind NOT IN (${quoted(GONE_KINDS)})`;
  const title = [
    'ES|QL, Elasticsearch 8.16 or later (MAX of a keyword). A query answers 10,000 rows at most, and without LIMIT 1,000:',
    'lists of what exists now are for queries.console. Counts hold for any number of ids.',
    GENERATED,
    ...NOT_FOR,
  ];
  return `${comment('//', title)}

// How many exist now.
${newest}
| STATS things = COUNT(*) BY ${field('connector')}, ${field('stream')}

// One id.
FROM ${PATTERN}
| WHERE ${field('connector')} == "<connector>" AND ${field('stream')} == "threats" AND ${field('id')} == "<id>"
| SORT ${field('sequence')} DESC
| LIMIT 1

// Events a day: compare with npm run connectorctl -- counts. COUNT_DISTINCT is approximate; queries.console counts exactly.
FROM ${PATTERN}
| WHERE ${field('kind')} IN (${quoted(KINDS)})
| STATS events = COUNT_DISTINCT(${field('event_id')}, 40000) BY ${field('connector')}, ${field('stream')}, day = DATE_TRUNC(1 day, ${field('forwarded_at')})

// Freshness of each stream.
FROM ${PATTERN}
| WHERE ${field('kind')} IN (${quoted(KINDS)})
| STATS newest = MAX(${field('forwarded_at')}) BY ${field('connector')}, ${field('stream')}

// Silence: answers a connector without events for ${SILENCE_MINUTES} minutes. Run it as a rule over a day or more.
FROM ${PATTERN}
| STATS newest = MAX(${field('forwarded_at')}) BY ${field('connector')}
| WHERE newest < NOW() - ${SILENCE_MINUTES} minutes
`;
}

export function elasticFiles(): Record<string, string> {
  const header = [
    'Requests for Kibana Dev Tools. Each line that begins with # is a comment.',
    GENERATED,
    ...NOT_FOR,
    `Streams: ${ALL_STREAMS.join(', ')}. Kinds that a later release adds are left out before the newest is chosen.`,
  ];
  return {
    'elastic/index-template.json': json(TEMPLATE),
    'elastic/ingest-pipeline.json': json(INGEST_PIPELINE),
    'elastic/filebeat.yml': filebeat(),
    'elastic/queries.console': consoleFile(header, [existsNowRequest(FIELDS), ...countRequests(FIELDS)]),
    'elastic/queries.esql': esql(),
  };
}
