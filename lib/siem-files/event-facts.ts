/**
 * What the files of `siem/` are made from, so that they cannot drift: the members and kinds of docs/event.schema.json, the streams of
 * lambda/streams.ts, and the rule of the greatest `sequence`.
 */
import schema from '../../docs/event.schema.json' with { type: 'json' };
import { STREAMS } from '../../lambda/streams.ts';
import { isCounted, type Kind, MEANING } from '../event-kinds.ts';
import { TEST } from '../test-event.ts';

export interface Member {
  readonly name: string;
  readonly description: string;
  /** ISO 8601 by its pattern, though it may be null. */
  readonly isTime: boolean;
  readonly isBoolean: boolean;
  /** The row itself: JSON of any shape, always the last member. */
  readonly isRow: boolean;
}

interface EventSchema {
  readonly properties: Readonly<
    Record<
      string,
      {
        readonly description?: string;
        readonly pattern?: string;
        readonly enum?: readonly string[];
        readonly const?: unknown;
      }
    >
  >;
}

/** Digits of each half of `sequence`: the epoch, then the counter. Each half fits a double, the whole does not. */
export const SEQUENCE_HALF = 10;

/** What a keyword of Lucene may hold, 32,766 bytes, in characters of four bytes. An id has 5,461 characters at most. */
export const KEYWORD_CHARACTERS = 8191;

export interface EventFacts {
  readonly members: readonly Member[];
  readonly kinds: readonly Kind[];
  readonly streams: readonly string[];
}

/** @throws Error if the schema has a kind or a stream that the files would not treat */
export function readFacts({ properties }: EventSchema): EventFacts {
  const kinds = properties['kind']?.enum ?? [];
  const streams = properties['stream']?.enum ?? [];
  expectSame('kinds', kinds, Object.keys(MEANING));
  expectSame('streams', streams, [...STREAMS.map(({ name }) => name), TEST.stream]);
  if (properties['sequence']?.pattern !== `^[0-9]{${2 * SEQUENCE_HALF}}$`)
    throw new Error('The sequence of the schema has another length than the files for SIEMs expect.');
  const members = Object.entries(properties).map(([name, { description = '', pattern = '', const: only }]) => ({
    name,
    description,
    isTime: pattern.startsWith('^[0-9]{4}-'),
    isBoolean: typeof only === 'boolean',
    isRow: name === 'row',
  }));
  return { members, kinds: kinds.filter(isCounted), streams: streams.filter(stream => stream !== TEST.stream) };
}

function expectSame(what: string, schema: readonly string[], known: readonly string[]): void {
  if (schema.toSorted().join() === known.toSorted().join()) return;
  throw new Error(`The schema of the events has the ${what} ${schema}, and the files for SIEMs know ${known}.`);
}

const FACTS = readFacts(schema);

export const MEMBERS: readonly Member[] = FACTS.members;
/** All but the row. */
export const HEAD: readonly Member[] = MEMBERS.filter(({ isRow }) => !isRow);
export const ALL_STREAMS: readonly string[] = FACTS.streams;

/** The streams whose rows change and go. The others hold what happened. */
export const STATE_STREAMS: readonly string[] = STREAMS.filter(({ hasRowStates }) => hasRowStates).map(
  ({ name }) => name,
);
export const HISTORY_STREAMS: readonly string[] = ALL_STREAMS.filter(name => !STATE_STREAMS.includes(name));

export const KINDS: readonly Kind[] = FACTS.kinds;
/** Every kind that a view of what exists now must read. Kinds of later releases are left out before the newest is chosen. */
export const STATE_KINDS: readonly Kind[] = KINDS.filter(
  kind => MEANING[kind] === 'exists' || MEANING[kind] === 'gone',
);
export const GONE_KINDS: readonly Kind[] = KINDS.filter(kind => MEANING[kind] === 'gone');
export const EXISTING_KINDS: readonly Kind[] = KINDS.filter(kind => MEANING[kind] === 'exists');

/** One thing is an id of a stream of a connector. */
export const KEY = ['connector', 'stream', 'id'] as const;

/** How an envelope begins, and what begins its last member: nothing before it is an object, and a quote in a string is escaped. */
export const LINE_START = '{"event_id":';
export const ROW_START = ',"row":';

/**
 * Members of rows that the files use, by stream. The API promises none of them, so each is a default that the reader of the file may
 * change, and a row without it, or with another type in it, is kept all the same.
 */
export const CHOSEN_MEMBERS = [
  { stream: 'assets', member: 'name', ecs: 'host.name' },
  { stream: 'assets', member: 'fqdn', ecs: 'host.hostname' },
  { stream: 'threats', member: 'title', ecs: 'rule.name' },
  { stream: 'threats', member: 'severity', ecs: 'vulnerability.severity' },
  { stream: 'dns-blocks', member: 'domain', ecs: 'dns.question.name' },
  { stream: 'dns-blocks', member: 'client_ip', ecs: 'source.address' },
] as const;

/** The member of a threat that says how grave it is, and the value that detections look for. */
export const SEVERITY = { member: 'severity', value: 'critical' } as const;

/** Minutes without any event after which a SIEM should ask why. A quiet tenant needs more. */
export const SILENCE_MINUTES = 60;
/** Withdrawals of one connector within a quarter of an hour that are worth a look. */
export const BURST = { events: 100, minutes: 15 } as const;

/** The same in each file: what it is for, and what it does with what it is not for. */
export const NOT_FOR = [
  'For gzipped lines in the envelope (format: envelope, the default; destinations s3 and s3-by-stream).',
  'With format: ocsf the members have other names: nothing is lost, but no query here finds them.',
  'With destination s3-parquet the objects are not lines: do not connect this reader.',
] as const;

export const GENERATED = 'Generated: npm run siem -- --write. Change lib/siem-files/, not this file.';

export function comment(mark: string, lines: readonly string[]): string {
  return lines.map(line => `${mark} ${line}`.trimEnd()).join('\n');
}

/** `"a", "b"` */
export function quoted(names: readonly string[], separator = ', '): string {
  return names.map(name => `"${name}"`).join(separator);
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
