/** Files for Amazon OpenSearch Service, fed by OpenSearch Ingestion (Data Prepper). */
import { headProperties, KEYWORD, LINE } from './elastic.ts';
import {
  CHOSEN_MEMBERS,
  comment,
  GENERATED,
  GONE_KINDS,
  json,
  KEY,
  NOT_FOR,
  quoted,
  ROW_START,
  STATE_KINDS,
  STATE_STREAMS,
} from './event-facts.ts';
import { both, consoleFile, countRequests, existsNowRequest, type SearchFields } from './search-requests.ts';

const EVENTS = 'security-data-events';
const STATE = 'security-data-state';

const FIELDS: SearchFields = { index: `${EVENTS}-*`, of: name => name, source: ['*'] };

/** How the pipeline takes the members before the row: the row is not parsed, so nothing in it can be refused. */
export const HEAD_ONLY = { from: `(?s)${ROW_START}.*`, to: '}' } as const;

function template(patterns: readonly string[], notes: readonly string[]) {
  return {
    _meta: { generated: GENERATED, notes: [...notes, ...NOT_FOR] },
    index_patterns: patterns,
    priority: 500,
    template: {
      mappings: {
        dynamic: false,
        properties: { ...headProperties(), message: LINE, ...chosenProperties() },
      },
    },
  };
}

/** Filled only by the lines of the pipeline that are comments at first. */
function chosenProperties(): Record<string, object> {
  return { row_fields: { properties: Object.fromEntries(CHOSEN_MEMBERS.map(({ member }) => [member, KEYWORD])) } };
}

/** Base64 of a text that only has to stay the same: with another salt every thing would have another _id. */
const SALT = Buffer.from('security-data-connector').toString('base64');

function pipeline(): string {
  const notes = [
    'OpenSearch Ingestion, or Data Prepper 2.8 or later: reads the queue of the stack into two indices. An older one, or one without',
    'a processor that is named here, does not start. Nothing is lost: the queue keeps its notifications for 14 days.',
    GENERATED,
    '',
    ...NOT_FOR,
    'Such lines match no route and are dropped by the pipeline.',
    '',
    `${EVENTS}-<month>: every event. ${STATE}: of each connector, stream and id the newest event, also of what is gone.`,
    'The _id of the state index is a hash, because an id may have more than the 512 bytes of an _id. With another salt everything',
    'would be there twice: empty the state index first, then replay the connector.',
    'Versions: the sequence as a number. It fits 63 bits until epoch 922,337,203, some seventeen centuries at a run a minute.',
    'An older event that arrives later is a version conflict, which is how it should be: it is counted, and not written.',
    'The role of the pipeline needs SiemReaderPolicyArn, and write access to the domain and to the bucket of refused documents.',
  ];
  return `${comment('#', notes)}
version: "2"
security-data:
  source:
    s3:
      notification_type: sqs
      compression: gzip
      codec:
        newline:
      sqs:
        queue_url: "<SiemQueueUrl>"
      # Each object is a message of its own. They leave the queue when both indices have the events.
      acknowledgments: true
      aws:
        region: "<SiemRegion>"
        sts_role_arn: "<role of the pipeline>"
  processor:
    # The members before the row. The row stays in the text: as an object it may hold what the parser or the index refuses.
    - copy_values:
        entries:
          - from_key: message
            to_key: head
    - substitute_string:
        entries:
          - source: head
            from: '${HEAD_ONLY.from}'
            to: "${HEAD_ONLY.to}"
    - parse_json:
        source: head
    # Chosen members of the row, if you want them as fields. The API promises none of them. Remove the marks of the lines.
    # A value that is an object is refused by the index: choose members that are text or numbers.
${CHOSEN_MEMBERS.map(
  ({ stream, member }) => `    # - parse_json:
    #     source: message
    #     pointer: "/row/${member}"
    #     destination: "row_fields"
    #     parse_when: '/stream == "${stream}"'`,
).join('\n')}
    - add_entries:
        entries:
          - key: thing
            format: "${KEY.map(name => `\${/${name}}`).join('/')}"
    - obfuscate:
        source: thing
        action:
          hash:
            format: SHA-512
            salt: "${SALT}"
    - delete_entries:
        with_keys: [head, s3]
  route:
    # Every event, also of kinds that a later release adds: the queries leave them out.
    - event: '/event_id != null'
    - state: '/event_id != null and /kind in {${quoted(STATE_KINDS)}} and /stream in {${quoted(STATE_STREAMS)}}'
  sink:
    - opensearch:
        routes: [event]
        hosts: ["<endpoint of the domain>"]
        index: "${EVENTS}-%{yyyy.MM}"
        # One sending of one event: a repeat of Firehose overwrites itself, a repeat of the connector has another sequence.
        document_id: "\${/connector}-\${/event_id}-\${/sequence}"
        exclude_keys: [thing]
${sinkRest()}
    - opensearch:
        routes: [state]
        hosts: ["<endpoint of the domain>"]
        index: "${STATE}"
        document_id: "\${/thing}"
        document_version: "\${/sequence}"
        document_version_type: external_gte
        exclude_keys: [thing]
${sinkRest()}
`;
}

function sinkRest(): string {
  return `        aws:
          region: "<region of the domain>"
          sts_role_arn: "<role of the pipeline>"
        # What the index refuses. It should stay empty: version conflicts are only counted.
        dlq:
          s3:
            bucket: "<bucket of your own>"
            region: "<region of that bucket>"
            sts_role_arn: "<role of the pipeline>"`;
}

export function opensearchFiles(): Record<string, string> {
  const header = [
    'Requests for the Dev Tools of OpenSearch Dashboards. Each line that begins with # is a comment.',
    GENERATED,
    ...NOT_FOR,
  ];
  const existing = {
    name: 'state',
    notes: [
      `What exists now, from the index ${STATE}, page by page. Repeat with "search_after": the sort values of the last hit.`,
      'The state index needs no history, so the events may expire.',
    ],
    path: `${STATE}/_search`,
    body: {
      size: 1000,
      track_total_hits: false,
      query: {
        bool: {
          filter: [{ terms: { stream: STATE_STREAMS } }],
          must_not: [{ terms: { kind: GONE_KINDS } }],
        },
      },
      sort: KEY.map(name => ({ [name]: 'asc' })),
    },
  };
  const count = {
    name: 'state-count',
    notes: ['How many exist now.'],
    path: `${STATE}/_search`,
    body: {
      size: 0,
      query: { bool: { must_not: [{ terms: { kind: GONE_KINDS } }] } },
      aggs: {
        connector: {
          terms: { field: 'connector', size: 100 },
          aggs: { stream: { terms: { field: 'stream', size: 100 } } },
        },
      },
    },
  };
  const gone = {
    name: 'state-gone',
    notes: ['What is gone, and since when.'],
    path: `${STATE}/_search`,
    body: { size: 100, query: both({ terms: { kind: GONE_KINDS } }), sort: [{ forwarded_at: 'desc' }] },
  };
  return {
    'opensearch/index-template-events.json': json(
      template([`${EVENTS}-*`], ['PUT _index_template/security-data-events. OpenSearch 1.0 or later.']),
    ),
    'opensearch/index-template-state.json': json(
      template([STATE], ['PUT _index_template/security-data-state. OpenSearch 1.0 or later. Never let it roll over.']),
    ),
    'opensearch/pipeline.yaml': pipeline(),
    'opensearch/queries.console': consoleFile(header, [
      existing,
      count,
      gone,
      existsNowRequest(FIELDS),
      ...countRequests(FIELDS),
    ]),
  };
}
