import { FUNCTION_OPTIONS } from '../../lambda/options.ts';
import { STREAMS, streamKey } from '../../lambda/streams.ts';
import { kindOf } from '../delivery/destinations.ts';
import type { Fault } from './fault.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Options that are right by themselves and wrong together. */
interface Contradiction {
  readonly member: string;
  readonly reason: string;
  readonly holds: (entry: Entry) => boolean;
}

const CONTRADICTIONS: readonly Contradiction[] = [
  {
    member: 'siemReader',
    reason: 'has nothing to read: the destination is not S3, or siemQueue is false',
    holds: entry => given(entry, 'siemReader') && (entry['siemQueue'] === false || !deliversObjects(entry)),
  },
  {
    member: 'siemReader',
    reason: 'cannot read Parquet: Sentinel takes lines of JSON, which the destination s3 delivers',
    holds: entry => typeOf(entry, 'siemReader') === 'sentinel' && typeOf(entry, 'destination') === 's3-parquet',
  },
  {
    member: 'query',
    reason: 'has nothing to read: the destination is not S3',
    holds: entry => entry['query'] === true && !deliversObjects(entry),
  },
  {
    member: 'queryScanGigabytes',
    reason: 'has no effect without query',
    holds: entry => given(entry, 'queryScanGigabytes') && entry['query'] !== true,
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
    member: 'omit.threats',
    reason: 'must not name the member that names the asset: a removal could not withdraw the threats',
    holds: entry => {
      const omitted = (entry['omit'] as { threats?: unknown } | undefined)?.threats;
      return (
        Array.isArray(omitted) &&
        omitted.includes(entry['threatAssetField'] ?? FUNCTION_OPTIONS.threatAssetField.default)
      );
    },
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

/** Contradictions within each entry, whatever else is wrong with it. */
export function contradictions(list: unknown): Fault[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry, index) =>
    typeof entry === 'object' && entry !== null ? contradictionsWithin(entry, `connectors[${index}]`) : [],
  );
}

export function contradictionsWithin(entry: Entry, root: string): Fault[] {
  return CONTRADICTIONS.filter(({ holds }) => holds(entry)).map(({ member, reason }) => ({
    path: `${root}.${member}`,
    reason,
  }));
}

function given(entry: Entry, member: string): boolean {
  return entry[member] !== undefined;
}

function deliversObjects(entry: Entry): boolean {
  return kindOf({ type: typeOf(entry, 'destination') ?? 's3' })?.deliversObjects === true;
}

function typeOf(entry: Entry, member: string): string | undefined {
  return (entry[member] as { type?: string } | undefined)?.type;
}
