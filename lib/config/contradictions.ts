/**
 * Finds options that are valid by themselves, but that contradict each other, in `cdk.json` and
 * among props.
 */
import { optionContradictions } from '../../lambda/options.ts';
import {
  DAY_MILLISECONDS,
  LEAST_REFRESH_CAPACITY,
  passMilliseconds,
  refreshCapacity,
  refreshPagesPerRun,
} from '../../lambda/refresh-pace.ts';
import { PAGE_LIMIT } from '../../lambda/streams.ts';
import type { Problem } from './problem.ts';
import type { ConnectorConfig } from './schema.ts';

/** Options of one connector, each of which is valid by itself. */
export type ConnectorEntry = Partial<ConnectorConfig>;

/**
 * Lists the readers that create the identity provider of Sentinel, from `siemReader` and
 * `siemReaders`.
 */
export function readersCreatingProvider({ siemReader, siemReaders = [] }: ConnectorEntry) {
  const readers = [siemReader, ...siemReaders.map(({ reader }) => reader)];
  return readers.flatMap(reader => (reader?.type === 'sentinel' && reader.createOidcProvider ? [reader] : []));
}

/** Finds the contradictions. Their paths, such as `retentionDays`, are relative to the entry. */
export function contradictionsIn(entry: ConnectorEntry): Problem[] {
  const { siemReader, siemReaders = [], bucketArn, alarmTopicArn, proxyUrl } = entry;
  const isInBucket = (entry.destination?.type ?? 's3') === 's3';
  const given = (option: keyof ConnectorEntry) => entry[option] !== undefined;

  const rules: [isProblem: boolean, path: string, reason: string][] = [
    [
      given('siemReader') && (entry.siemQueue === false || !isInBucket),
      'siemReader',
      'has nothing to read: the destination is not S3, or siemQueue is false',
    ],
    [siemReaders.length > 0 && !isInBucket, 'siemReaders', 'has nothing to read: the destination is not S3'],
    [
      readersCreatingProvider(entry).length > 1,
      'siemReaders',
      'creates the identity provider twice, and an account can have it only once',
    ],
    [
      siemReader?.type === 'sentinel' && siemReader.createOidcProvider && siemReader.oidcProviderArn !== undefined,
      'siemReader.createOidcProvider',
      'contradicts oidcProviderArn: give one of the two',
    ],
    [given('noProxy') && proxyUrl === undefined, 'noProxy', 'has no effect without proxyUrl'],
    [
      given('retentionDays') && bucketArn !== undefined,
      'retentionDays',
      'has no effect on an existing bucket: set a lifecycle rule there',
    ],
    [
      given('alarmEmail') && alarmTopicArn !== undefined,
      'alarmEmail',
      'cannot be added to an existing topic: subscribe the address there',
    ],
  ];

  const found = rules.flatMap(([isProblem, path, reason]) => (isProblem ? [{ path, reason }] : []));
  return [...found, ...optionContradictions(entry), ...tooFastRefresh(entry)];
}

/**
 * Finds a refresh that is too fast: within the days of a pass, the runs could not read all rows of
 * the largest stream.
 */
function tooFastRefresh({ refreshDays: days, rateMinutes = 1, requestsPerMinute }: ConnectorEntry): Problem[] {
  if (days === undefined) return [];
  const limits = { rateMinutes, pageLimit: PAGE_LIMIT.default, requestsPerMinute };
  const rows = refreshCapacity(days, limits);
  if (rows >= LEAST_REFRESH_CAPACITY) return [];

  const whole = (count: number) => count.toLocaleString('en-GB');
  const pass = (passMilliseconds(days) / DAY_MILLISECONDS).toFixed(2);
  const reason =
    `is too short: a pass over a stream takes ${pass} days, in which runs every ${rateMinutes} minutes read ` +
    `${refreshPagesPerRun(limits)} pages of ${limits.pageLimit} rows each, ${whole(rows)} rows, and a stream may have ` +
    `${whole(LEAST_REFRESH_CAPACITY)}. ${Math.ceil((days * LEAST_REFRESH_CAPACITY) / rows)} days are enough`;
  return [{ path: 'refreshDays', reason }];
}
