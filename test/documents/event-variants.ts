/** The variants of events that the schema must refuse or accept: a change each, applied to an example of docs/events.md. */
import { STREAMS } from '../../lambda/streams.ts';

export type Line = Record<string, unknown>;
type Break = readonly [rule: string, change: (event: Line) => void];

/** The members in their fixed order; those of the second list are there only where the kind calls for them. */
const ALWAYS = [
  'event_id',
  'sequence',
  'kind',
  'stream',
  'id',
  'time',
  'stream_position',
  'connector',
  'forwarded_at',
] as const;
const SOMETIMES = ['asset_id', 'dead_letter', 'refresh', 'reason', 'row'] as const;
export const ORDER: readonly string[] = [...ALWAYS, ...SOMETIMES];

const set = (member: string, value: unknown) => (event: Line) => {
  event[member] = value;
};
const drop = (member: string) => (event: Line) => {
  delete event[member];
};
const setInRow = (member: string, value: unknown) => (event: Line) => {
  event['row'] = { ...(event['row'] as Line), [member]: value };
};
const dropInRow = (member: string) => (event: Line) => {
  const row = { ...(event['row'] as Line) };
  delete row[member];
  event['row'] = row;
};
const row = { id: 'asset-7f3a' };
const deadLetter = 's3://acme-dead-letters/dead-letter/a.json';

/** Changes that make an event of any kind invalid. */
export const BREAKS_OF_EVERY_KIND: readonly Break[] = [
  ...ALWAYS.map((member): Break => [`lacks ${member}`, drop(member)]),
  ['has a member that is not documented', set('extra', 1)],
  ['has an event_id in capitals', set('event_id', '0B6F2E8C4D91A7355E20C9F4417BD8A3')],
  ['has an event_id of 31 digits', set('event_id', '0b6f2e8c4d91a7355e20c9f4417bd8a')],
  ['has a sequence of 19 digits', set('sequence', '0000001042000000001')],
  ['has a sequence of 21 digits', set('sequence', '000000104200000000001')],
  ['has a sequence that is a number', set('sequence', 10420000000001)],
  ['is of an unknown kind', set('kind', 'delete')],
  ['is of an unknown stream', set('stream', 'unknown')],
  ['has an empty id', set('id', '')],
  ['has an id that is a number', set('id', 7)],
  ['has a time that is not ISO 8601', set('time', 'Fri, 20 Nov 2026 09:14:03 GMT')],
  ['has a time in epoch seconds', set('time', 1795166043)],
  ['has a stream_position that is an object', set('stream_position', {})],
  ['has a stream_position that is a list', set('stream_position', ['a'])],
  ['has an empty connector', set('connector', '')],
  ['has no connector name', set('connector', null)],
  ['was forwarded at a time without milliseconds', set('forwarded_at', '2026-11-20T09:15:00Z')],
  ['was forwarded at a local time', set('forwarded_at', '2026-11-20T09:15:00.412+01:00')],
  ['was forwarded on a day that does not exist', set('forwarded_at', '2026-02-30T09:15:00.412Z')],
  ['says that it does not repeat', set('refresh', false)],
  ['has an empty asset_id', set('asset_id', '')],
  ['has an asset_id of null', set('asset_id', null)],
];

/** Only a row that exists is sent again. */
const REFRESHED: Break = ['repeats what the SIEM has', set('refresh', true)];

const ROW_BREAKS: readonly Break[] = [
  ['lacks its row', drop('row')],
  ['has a row that is text', set('row', '{}')],
  ['has a row that is a list', set('row', [row])],
  ['has a row without id', dropInRow('id')],
  ['has a row with an empty id', setInRow('id', '')],
  ['has a dead_letter', set('dead_letter', deadLetter)],
  ['has a reason', set('reason', 'filtered')],
];

/** Changes that make an event of this kind and stream invalid. */
export const BREAKS: readonly (readonly [kind: string, stream: string, breaks: readonly Break[]])[] = [
  ...STREAMS.filter(({ kind }) => kind === 'upsert').map(({ name, tombstones, ...facts }): (typeof BREAKS)[number] => [
    'upsert',
    name,
    [
      ...ROW_BREAKS,
      ...(tombstones ? [['says that it is deleted', setInRow('deleted', true)] as Break] : []),
      ...('cascadesFrom' in facts ? [] : [['names an asset', set('asset_id', 'asset-1')] as Break]),
      ['is a DNS block', set('stream', 'dns-blocks')],
    ],
  ]),
  ...STREAMS.filter(({ tombstones }) => tombstones).map(({ name }): (typeof BREAKS)[number] => [
    'tombstone',
    name,
    [
      ...ROW_BREAKS,
      REFRESHED,
      ['does not say that it is deleted', dropInRow('deleted')],
      ['says that it is live', setInRow('deleted', false)],
      ['names an asset', set('asset_id', 'asset-1')],
      ['is a threat', set('stream', 'threats')],
    ],
  ]),
  [
    'withdrawn',
    'threats',
    [
      ['has a row', set('row', row)],
      ['has a dead_letter', set('dead_letter', deadLetter)],
      REFRESHED,
      ['has an unknown reason', set('reason', 'not-found')],
      [
        'is an asset without a reason',
        event => {
          event['stream'] = 'assets';
          delete event['asset_id'];
        },
      ],
    ],
  ],
  [
    'withdrawn',
    'assets',
    [
      ['has a row', set('row', row)],
      REFRESHED,
      ['lacks its reason', drop('reason')],
      ['has a reason of null', set('reason', null)],
      ['names an asset', set('asset_id', 'asset-1')],
      ['is a DNS block', set('stream', 'dns-blocks')],
    ],
  ],
  [
    'dns_block',
    'dns-blocks',
    [
      ...ROW_BREAKS,
      REFRESHED,
      ['names an asset', set('asset_id', 'asset-1')],
      ['is a threat', set('stream', 'threats')],
    ],
  ],
  [
    'oversize',
    'threats',
    [
      ['has a row', set('row', row)],
      ['lacks its dead_letter', drop('dead_letter')],
      ['has a dead_letter that is not in S3', set('dead_letter', 'https://example.com/a.json')],
      ['has a dead_letter without a key', set('dead_letter', 's3://acme-dead-letters/')],
      ['is of the stream of tests', set('stream', 'test')],
    ],
  ],
  [
    'test',
    'test',
    [
      ['has a row', set('row', row)],
      ['has a dead_letter', set('dead_letter', deadLetter)],
      ['names an asset', set('asset_id', 'asset-1')],
      ['is an asset', set('stream', 'assets')],
    ],
  ],
];

/** Changes that leave an event valid. */
export const ALLOWED: readonly (readonly [
  rule: string,
  kind: string,
  stream: string,
  change: (event: Line) => void,
])[] = [
  ['a row that carries no time', 'upsert', 'assets', set('time', null)],
  ['a time with an offset', 'upsert', 'assets', set('time', '2026-11-20T10:14:03,25+0100')],
  ['a stream_position that is a number', 'upsert', 'threats', set('stream_position', 1.5)],
  ['a threat that does not name its asset', 'upsert', 'threats', drop('asset_id')],
  ['a threat whose own members say deleted', 'upsert', 'threats', setInRow('deleted', true)],
  ['a withdrawal whose asset is not known', 'withdrawn', 'threats', drop('asset_id')],
  [
    'a row that repeats what the SIEM has',
    'upsert',
    'assets',
    event => {
      const { row } = event;
      delete event['row'];
      Object.assign(event, { refresh: true, row });
    },
  ],
  ['a threat that the filter excludes', 'withdrawn', 'threats', set('reason', 'filtered')],
  ['an asset that the API does not list any more', 'withdrawn', 'assets', set('reason', 'not-listed')],
  ['any member in a row', 'upsert', 'assets', setInRow('', { constructor: null })],
  [
    'an oversize asset',
    'oversize',
    'assets',
    event => {
      event['stream'] = 'assets';
      delete event['asset_id'];
    },
  ],
];
