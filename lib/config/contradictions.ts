/** Options that are right by themselves and wrong together, in `cdk.json` and among props. */
import { OMITS_PARENT, omitsParent } from '../../lambda/options.ts';
import {
  DAY_MILLISECONDS,
  passMilliseconds,
  REFRESHED_ROWS,
  refreshCapacity,
  refreshPages,
} from '../../lambda/refresh-pace.ts';
import { PAGE_LIMIT, STREAMS, streamKey } from '../../lambda/streams.ts';
import { kindOf } from '../delivery/destinations.ts';
import type { Fault } from './fault.ts';

/** One connector by the names of its options. Other faults may be left in it, so a value may have any type. */
export type Entry = Readonly<Record<string, unknown>>;

/** An object within an entry, empty if the value is something else. */
export function objectIn(value: unknown): Entry {
  return typeof value === 'object' && value !== null ? (value as Entry) : {};
}

/** Faults with paths such as `retentionDays`, relative to the entry. */
export function contradictionsIn(entry: Entry): Fault[] {
  const given = (option: string) => entry[option] !== undefined;
  const siemReader = objectIn(entry['siemReader']);
  const deliversObjects = kindOf({ type: String(objectIn(entry['destination'])['type'] ?? 's3') })?.deliversObjects;

  const faults: [path: string, isFault: boolean, reason: string][] = [
    [
      'siemReader',
      given('siemReader') && (entry['siemQueue'] === false || !deliversObjects),
      'has nothing to read: the destination is not S3, or siemQueue is false',
    ],
    ['noProxy', given('noProxy') && !given('proxyUrl'), 'has no effect without proxyUrl'],
    [
      'retentionDays',
      given('retentionDays') && given('bucketArn'),
      'has no effect on an existing bucket: set a lifecycle rule there',
    ],
    [
      'alarmEmail',
      given('alarmEmail') && given('alarmTopicArn'),
      'cannot be added to an existing topic: subscribe the address there',
    ],
    ...offStreams(entry),
    [
      'dnsBlocksSince',
      given('dnsBlocksSince') && !given('dnsBlocksPath'),
      'has no effect without dnsBlocksPath: the stream is off',
    ],
    ['omit.threats', omitsParent(entry['omit'], entry['threatAssetField']), OMITS_PARENT],
    [
      'siemReader.createOidcProvider',
      siemReader['createOidcProvider'] === true && siemReader['oidcProviderArn'] !== undefined,
      'contradicts oidcProviderArn: give one of the two',
    ],
  ];

  const found = faults.filter(([, isFault]) => isFault).map(([path, , reason]) => ({ path, reason }));
  return [...found, ...tooFastRefresh(entry)];
}

/** Filters of streams that are off, because their path is not given. */
function offStreams(entry: Entry): [path: string, isFault: boolean, reason: string][] {
  const streams = STREAMS.filter(stream => 'pathOption' in stream);

  return streams.flatMap(({ name, pathOption }) => {
    const reason = `has no effect without ${pathOption}: the stream is off`;
    const isOff = entry[pathOption] === undefined;
    const key = streamKey(name);
    return ['filters', 'omit'].map((option): [string, boolean, string] => [
      `${option}.${key}`,
      isOff && objectIn(entry[option])[key] !== undefined,
      reason,
    ]);
  });
}

/** The API may not list all rows of a stream within the days of a pass of the refresh. */
function tooFastRefresh(entry: Entry): Fault[] {
  const days = Number(entry['refreshDays']);
  if (!(days > 0)) return [];

  const { requestsPerMinute } = entry;
  const limits = {
    rateMinutes: Number(entry['rateMinutes'] ?? 1),
    pageLimit: PAGE_LIMIT.default,
    requestsPerMinute: requestsPerMinute === undefined ? undefined : Number(requestsPerMinute),
  };
  const rows = refreshCapacity(days, limits);
  if (!(rows < REFRESHED_ROWS)) return [];

  const least = Math.ceil((days * REFRESHED_ROWS) / rows);
  const whole = (count: number) => count.toLocaleString('en-GB');
  const pass = (passMilliseconds(days) / DAY_MILLISECONDS).toFixed(2);
  const reason =
    `is too short: a pass over a stream takes ${pass} days, in which runs every ${limits.rateMinutes} minutes read ` +
    `${refreshPages(limits)} pages of ${limits.pageLimit} rows each, ${whole(rows)} rows, and a stream may have ` +
    `${whole(REFRESHED_ROWS)}. ${least} days are enough`;
  return [{ path: 'refreshDays', reason }];
}
