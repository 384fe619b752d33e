/** Changes to the examples of docs/events.md, with which the schema must refuse or accept them. */
import { STREAMS } from '../../lambda/streams.ts';

export type Line = Readonly<Record<string, unknown>>;

/** The members of every event, in their fixed order. */
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

/**
 * The members that only some events have, in their fixed order, each with a value that it may have.
 */
const SOMETIMES: Line = {
  asset_id: 'asset-1',
  dead_letter: 's3://acme-dead-letters/dead-letter/a.json',
  refresh: true,
  reason: 'filtered',
  row: { id: 'asset-7f3a' },
};

export const ORDER: readonly string[] = [...ALWAYS, ...Object.keys(SOMETIMES)];

/** An event of a kind and a stream, with the members of `SOMETIMES` that it must or may have. */
interface Shape {
  readonly kind: string;
  readonly stream: string;
  readonly must?: readonly string[];
  readonly may?: readonly string[];
  /** A stream in which the kind does not occur. */
  readonly not: string;
}

const [upserted, removed] = [STREAMS.filter(({ kind }) => kind === 'upsert'), STREAMS.filter(each => each.tombstones)];

export const SHAPES: readonly Shape[] = [
  ...upserted.map(({ name, ...facts }): Shape => {
    const may = 'cascadesFrom' in facts ? ['asset_id', 'refresh'] : ['refresh'];
    return { kind: 'upsert', stream: name, must: ['row'], may, not: 'dns-blocks' };
  }),
  ...removed.map(({ name }): Shape => ({ kind: 'tombstone', stream: name, must: ['row'], not: 'threats' })),
  { kind: 'withdrawn', stream: 'threats', may: ['asset_id', 'reason'], not: 'dns-blocks' },
  { kind: 'withdrawn', stream: 'assets', must: ['reason'], not: 'dns-blocks' },
  { kind: 'dns_block', stream: 'dns-blocks', must: ['row'], not: 'threats' },
  { kind: 'oversize', stream: 'threats', must: ['dead_letter'], may: ['asset_id', 'refresh'], not: 'test' },
  { kind: 'test', stream: 'test', may: ['refresh'], not: 'assets' },
];

/** Values that a member must not have, in the event of this kind and stream. */
const WRONG: readonly (readonly [label: string, values: Readonly<Record<string, readonly unknown[]>>])[] = [
  [
    'upsert threats',
    {
      event_id: ['0B6F2E8C4D91A7355E20C9F4417BD8A3', '0b6f2e8c4d91a7355e20c9f4417bd8a'],
      sequence: ['0000001042000000001', 10420000000001],
      kind: ['delete'],
      id: ['', 7],
      time: ['Fri, 20 Nov 2026 09:14:03 GMT', 1795166043],
      stream_position: [{}, ['a']],
      connector: ['', null],
      forwarded_at: ['2026-11-20T09:15:00Z', '2026-11-20T09:15:00.412+01:00', '2026-02-30T09:15:00.412Z'],
      asset_id: ['', null],
      refresh: [false],
      row: ['{}', [{ id: 'a' }], {}, { id: '' }],
      extra: [1],
    },
  ],
  ['upsert assets', { row: [{ id: 'a', deleted: true }] }],
  ['tombstone assets', { row: [{ id: 'a' }, { id: 'a', deleted: false }] }],
  ['withdrawn assets', { reason: ['not-found', null] }],
  ['oversize threats', { stream: ['unknown'], dead_letter: ['https://example.com/a.json', 's3://acme-dead-letters/'] }],
];

const RIGHT: typeof WRONG = [
  ['upsert assets', { time: [null, '2026-11-20T10:14:03,25+0100'], row: [{ id: 'a', '': { constructor: null } }] }],
  ['upsert threats', { stream_position: [1.5], row: [{ id: 't', deleted: true }] }],
  ['withdrawn assets', { reason: ['not-listed'] }],
];

type Variant = readonly [what: string, event: Line];

/** Variants of an example that the schema must refuse. */
export function wrongVariants(example: Line): Variant[] {
  const { must = [], may = [], not } = shapeOf(example);
  const others = Object.keys(SOMETIMES).filter(member => ![...must, ...may].includes(member));
  return [
    ...[...ALWAYS, ...must].map((member): Variant => [`lacks ${member}`, without(example, member)]),
    ...others.map((member): Variant => [`has ${member}`, { ...example, [member]: SOMETIMES[member] }]),
    [`is of the stream ${not}`, { ...without(example, 'asset_id'), stream: not }],
    ...withValues(example, WRONG),
  ];
}

/** Variants of an example that the schema must accept. */
export function rightVariants(example: Line): Variant[] {
  const { may = [] } = shapeOf(example);
  return [
    ...may.map((member): Variant => [`lacks ${member}`, without(example, member)]),
    ...may.map((member): Variant => [`has ${member}`, { ...example, [member]: SOMETIMES[member] }]),
    ...withValues(example, RIGHT),
  ];
}

/** Kind and stream, such as `upsert assets`. */
export function labelOf({ kind, stream }: Line | Shape): string {
  return `${kind} ${stream}`;
}

function shapeOf(example: Line): Shape {
  return SHAPES.find(shape => labelOf(shape) === labelOf(example))!;
}

function without(example: Line, member: string): Line {
  return Object.fromEntries(Object.entries(example).filter(([name]) => name !== member));
}

function withValues(example: Line, values: typeof WRONG): Variant[] {
  const own = values.filter(([label]) => label === labelOf(example));
  return own.flatMap(([, members]) =>
    Object.entries(members).flatMap(([member, wrong]) =>
      wrong.map((value): Variant => [`has ${member} ${JSON.stringify(value)}`, { ...example, [member]: value }]),
    ),
  );
}
