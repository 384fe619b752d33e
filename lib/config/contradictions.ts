import type { Duration } from 'aws-cdk-lib';
import { OMITS_PARENT, omitsParent } from '../../lambda/options.ts';
import {
  DAY_MILLISECONDS,
  passMilliseconds,
  REFRESHED_ROWS,
  type RefreshLimits,
  refreshCapacity,
  refreshPages,
} from '../../lambda/refresh-pace.ts';
import { PAGE_LIMIT, STREAMS, streamKey } from '../../lambda/streams.ts';
import { kindOf } from '../delivery/destinations.ts';
import type { Fault } from './fault.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Options that are right by themselves and wrong together. */
interface Contradiction {
  readonly member: string;
  readonly reason: string | ((entry: Entry) => string);
  readonly holds: (entry: Entry) => boolean;
}

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    member: 'siemReader',
    reason: 'has nothing to read: the destination is not S3, or siemQueue is false',
    holds: entry => given(entry, 'siemReader') && (entry['siemQueue'] === false || !deliversObjects(entry)),
  },
  {
    member: 'noProxy',
    reason: 'has no effect without proxyUrl',
    holds: entry => given(entry, 'noProxy') && !given(entry, 'proxyUrl'),
  },
  {
    member: 'retentionDays',
    reason: 'has no effect on an existing bucket: set a lifecycle rule there',
    holds: entry => given(entry, 'retentionDays') && given(entry, 'bucketArn'),
  },
  {
    member: 'alarmEmail',
    reason: 'cannot be added to an existing topic: subscribe the address there',
    holds: entry => given(entry, 'alarmEmail') && given(entry, 'alarmTopicArn'),
  },
  ...(['filters', 'omit'] as const).flatMap(member =>
    STREAMS.filter(stream => 'pathOption' in stream).map(({ name, pathOption }) => ({
      member: `${member}.${streamKey(name)}`,
      reason: `has no effect without ${pathOption}: the stream is off`,
      holds: (entry: Entry) =>
        given(entry, member) && given(entry[member] as Entry, streamKey(name)) && !given(entry, pathOption),
    })),
  ),
  {
    member: 'dnsBlocksSince',
    reason: 'has no effect without dnsBlocksPath: the stream is off',
    holds: entry => given(entry, 'dnsBlocksSince') && !given(entry, 'dnsBlocksPath'),
  },
  {
    member: 'refreshDays',
    reason: tooShort,
    holds: entry => Number(entry['refreshDays']) > 0 && refreshedRows(entry) < REFRESHED_ROWS,
  },
  {
    member: 'omit.threats',
    reason: OMITS_PARENT,
    holds: entry => omitsParent(entry['omit'], entry['threatAssetField']),
  },
  {
    member: 'siemReader.createOidcProvider',
    reason: 'contradicts oidcProviderArn: give one of the two',
    holds: entry => {
      const reader = entry['siemReader'] as Entry | undefined;
      return reader?.['createOidcProvider'] === true && given(reader, 'oidcProviderArn');
    },
  },
];

/** Contradictions within each entry, independent of its other faults. */
export function contradictions(list: unknown): Fault[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null ? contradictionsWithin(entry, `connectors[${index}]`) : [],
  );
}

export function contradictionsWithin(entry: Entry, root: string): Fault[] {
  return CONTRADICTIONS.filter(({ holds }) => holds(entry)).map(({ member, reason }) => ({
    path: `${root}.${member}`,
    reason: typeof reason === 'string' ? reason : reason(entry),
  }));
}

/** Rows of a stream that one pass of the refresh reads. */
function refreshedRows(entry: Entry): number {
  return refreshCapacity(Number(entry['refreshDays']), refreshLimits(entry));
}

function refreshLimits(entry: Entry): RefreshLimits {
  const { requestsPerMinute } = entry;
  return {
    rateMinutes: minutesOf(entry['rateMinutes'] ?? 1),
    pageLimit: PAGE_LIMIT.default,
    requestsPerMinute: requestsPerMinute === undefined ? undefined : Number(requestsPerMinute),
  };
}

/** The rate is a number in `cdk.json`, and a duration as a prop. */
function minutesOf(rate: unknown): number {
  return typeof rate === 'object' && rate && 'toMinutes' in rate ? (rate as Duration).toMinutes() : Number(rate);
}

function tooShort(entry: Entry): string {
  const days = Number(entry['refreshDays']);
  const limits = refreshLimits(entry);
  const least = Math.ceil((days * REFRESHED_ROWS) / refreshedRows(entry));
  const whole = (count: number) => count.toLocaleString('en-GB');
  const pass = (passMilliseconds(days) / DAY_MILLISECONDS).toFixed(2);
  return (
    `is too short: a pass over a stream takes ${pass} days, in which runs every ${limits.rateMinutes} minutes read ` +
    `${refreshPages(limits)} pages of ${limits.pageLimit} rows each, ${whole(refreshedRows(entry))} rows, and a stream may have ` +
    `${whole(REFRESHED_ROWS)}. ${least} days are enough`
  );
}

function given(entry: Entry, member: string): boolean {
  return entry[member] !== undefined;
}

function deliversObjects(entry: Entry): boolean {
  const { type = 's3' } = (entry['destination'] ?? {}) as { type?: string };
  return kindOf({ type })?.deliversObjects === true;
}
