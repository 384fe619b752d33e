/** Search requests that Elasticsearch and OpenSearch share. */
import { comment, GONE_KINDS, KEY, KINDS, STATE_KINDS, STATE_STREAMS } from './event-facts.ts';

export interface SearchFields {
  readonly index: string;
  /** The field of a member. */
  readonly of: (member: string) => string;
  /** What an answer shows of a document. */
  readonly source: readonly string[];
}

export interface ConsoleRequest {
  readonly name: string;
  readonly notes: readonly string[];
  readonly path: string;
  readonly body: object;
}

/** Buckets of one page. Each costs memory in the engine while it is counted. */
const PAGE = 1000;

/** Pages through every id, and takes of each the event with the greatest sequence: no number of ids is too many. */
export function existsNowRequest({ index, of, source }: SearchFields): ConsoleRequest {
  return {
    name: 'exists-now',
    notes: [
      'What exists now, page by page. Repeat with "after": the after_key of the answer, until an answer has no buckets.',
      `Then drop the hits of kind ${GONE_KINDS.join(' and ')}. In the query such a filter would return removed things.`,
      'Do not use collapse instead: it ends at 10,000 hits. Nor a latest transform: it sorts by a date.',
      'The newest event of each id must still be in the index: keep it that long, or replay the connector before it expires.',
    ],
    path: `${index}/_search`,
    body: {
      size: 0,
      track_total_hits: false,
      query: both({ terms: { [of('stream')]: STATE_STREAMS } }, { terms: { [of('kind')]: STATE_KINDS } }),
      aggs: {
        things: {
          composite: {
            size: PAGE,
            sources: KEY.map(name => ({ [name]: { terms: { field: of(name) } } })),
          },
          aggs: {
            newest: { top_hits: { size: 1, sort: [{ [of('sequence')]: 'desc' }], _source: source } },
          },
        },
      },
    },
  };
}

export function countRequests({ index, of, source }: SearchFields): ConsoleRequest[] {
  const known = both({ terms: { [of('kind')]: KINDS } });
  const day = { date_histogram: { field: of('forwarded_at'), calendar_interval: 'day', format: 'yyyy-MM-dd' } };
  const named = (name: string) => ({ field: of(name), size: 100 });
  const byStream = (aggs: object) => ({
    connector: { terms: named('connector'), aggs: { stream: { terms: named('stream'), aggs } } },
  });
  return [
    {
      name: 'one-id',
      notes: ['The newest event of one id.'],
      path: `${index}/_search`,
      body: {
        size: 1,
        query: both(
          { term: { [of('connector')]: '<connector>' } },
          { term: { [of('stream')]: 'threats' } },
          { term: { [of('id')]: '<id>' } },
          { terms: { [of('kind')]: STATE_KINDS } },
        ),
        sort: [{ [of('sequence')]: 'desc' }],
        _source: source,
      },
    },
    {
      name: 'events-by-day',
      notes: [
        'Events by stream and day, each event once: a page of events. Repeat with "after" and count the buckets.',
        'It must agree with npm run connectorctl -- counts.',
      ],
      path: `${index}/_search`,
      body: {
        size: 0,
        track_total_hits: false,
        query: known,
        aggs: {
          events: {
            composite: {
              size: PAGE,
              sources: [
                ...['connector', 'stream'].map(name => ({ [name]: { terms: { field: of(name) } } })),
                { day },
                { event: { terms: { field: of('event_id') } } },
              ],
            },
          },
        },
      },
    },
    {
      name: 'events-by-day-approximate',
      notes: ['The same at a glance. Close to exact up to 40,000 events of a stream and day, approximate above.'],
      path: `${index}/_search`,
      body: {
        size: 0,
        query: known,
        aggs: byStream({
          day: {
            ...day,
            aggs: { events: { cardinality: { field: of('event_id'), precision_threshold: 40_000 } } },
          },
        }),
      },
    },
    {
      name: 'freshness',
      notes: ['Freshness: when the connector made the newest event of each stream.'],
      path: `${index}/_search`,
      body: {
        size: 0,
        query: known,
        aggs: byStream({ newest: { max: { field: of('forwarded_at') } } }),
      },
    },
    {
      name: 'test-event',
      notes: ['The event of npm run connectorctl -- test-event.'],
      path: `${index}/_search`,
      body: { query: both({ term: { [of('event_id')]: '<event_id>' } }) },
    },
  ];
}

export function both(...filter: readonly object[]): object {
  return { bool: { filter } };
}

export function consoleFile(header: readonly string[], requests: readonly ConsoleRequest[]): string {
  const parts = requests.map(
    ({ name, notes, path, body }) =>
      `${comment('#', [`${name}.`, ...notes])}\nGET ${path}\n${JSON.stringify(body, null, 2)}\n`,
  );
  return [`${comment('#', header)}\n`, ...parts].join('\n');
}

/** The requests of such a file, as the engine takes them. */
export function parseConsole(text: string): ReadonlyMap<string, { readonly path: string; readonly body: string }> {
  const requests = new Map<string, { path: string; body: string }>();
  for (const [, name, , path, body] of text.matchAll(/^# ([\w-]+)\.\n((?:#.*\n)*)GET (\S+)\n(\{[\s\S]*?^\}$)/gm)) {
    requests.set(name!, { path: path!, body: body! });
  }
  return requests;
}
