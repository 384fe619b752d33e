/** Options that are right by themselves and wrong together, in `cdk.json` and among props. */
import { OMITS_ASSET, omitsAsset } from '../../lambda/options.ts';
import {
  DAY_MILLISECONDS,
  passMilliseconds,
  REFRESHED_ROWS,
  refreshCapacity,
  refreshPages,
} from '../../lambda/refresh-pace.ts';
import { PAGE_LIMIT } from '../../lambda/streams.ts';
import type { Problem } from './problem.ts';

/** One connector by the names of its options. It may have other problems, so a value may have any type. */
export type Entry = Readonly<Record<string, unknown>>;

/** An object within an entry, empty if the value is something else. */
export function objectIn(value: unknown): Entry {
  return typeof value === 'object' && value !== null ? (value as Entry) : {};
}

/** The value at a path of an entry, such as `destination.type`. */
export function valueAt(entry: Entry, path: string): unknown {
  return path.split('.').reduce((value: unknown, member) => objectIn(value)[member], entry);
}

/** `siemReader` and the readers of `siemReaders`. */
export function readersIn({ siemReader, siemReaders }: Entry): Entry[] {
  const named = Array.isArray(siemReaders) ? siemReaders.map(each => objectIn(objectIn(each)['reader'])) : [];
  return [objectIn(siemReader), ...named];
}

const STREAM_IS_OFF = 'has no effect without dnsBlocksPath: the stream is off';

/** Problems with paths such as `retentionDays`, relative to the entry. */
export function contradictionsIn(entry: Entry): Problem[] {
  const given = (path: string) => valueAt(entry, path) !== undefined;
  const deliversTo = valueAt(entry, 'destination.type') ?? 's3';

  const problems: [path: string, isProblem: boolean, reason: string][] = [
    [
      'siemReader',
      given('siemReader') && (entry['siemQueue'] === false || deliversTo !== 's3'),
      'has nothing to read: the destination is not S3, or siemQueue is false',
    ],
    [
      'siemReaders',
      readersIn(entry).length > 1 && deliversTo !== 's3',
      'has nothing to read: the destination is not S3',
    ],
    [
      'siemReaders',
      readersIn(entry).filter(each => each['createOidcProvider'] === true).length > 1,
      'creates the identity provider twice, and an account can have it only once',
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
    ['filters.dnsBlocks', given('filters.dnsBlocks') && !given('dnsBlocksPath'), STREAM_IS_OFF],
    ['omit.dnsBlocks', given('omit.dnsBlocks') && !given('dnsBlocksPath'), STREAM_IS_OFF],
    ['dnsBlocksSince', given('dnsBlocksSince') && !given('dnsBlocksPath'), STREAM_IS_OFF],
    ['omit.threats', omitsAsset(entry['omit'], entry['threatAssetField']), OMITS_ASSET],
    [
      'siemReader.createOidcProvider',
      valueAt(entry, 'siemReader.createOidcProvider') === true && given('siemReader.oidcProviderArn'),
      'contradicts oidcProviderArn: give one of the two',
    ],
  ];

  const found = problems.filter(([, isProblem]) => isProblem).map(([path, , reason]) => ({ path, reason }));
  return [...found, ...tooFastRefresh(entry)];
}

/** The API may not list all rows of a stream within the days of a pass of the refresh. */
function tooFastRefresh(entry: Entry): Problem[] {
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
