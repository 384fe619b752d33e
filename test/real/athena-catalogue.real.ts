/** The catalogue of the template, as Athena's engine reads it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { LINES_TABLE } from '../../lib/query/catalogue.ts';
import { VIEWS } from '../../lib/query/views.ts';
import { templateWith } from '../lib/shared-template.ts';
import { type ReadCatalogue, readCatalogue } from './trino/read-catalogue.ts';

const BUCKET = 's3://security-data';
const DAY_MILLISECONDS = 86_400_000;
const today = () => Math.floor(Date.now() / DAY_MILLISECONDS);

/** For a bucket of the stack, the days since its oldest possible object. For an existing bucket, the days since the first date. */
const sinceFirst = () => today() - Date.UTC(2026, 0, 1) / DAY_MILLISECONDS;
const VARIANTS: readonly (readonly [string, object, () => number])[] = [
  ['a bucket of its own', { retentionDays: 30 }, () => 32],
  ['an existing bucket', { bucketArn: 'arn:aws:s3:::security-data' }, sinceFirst],
];

describe.each(VARIANTS)('with %s', (_, options, daysBefore) => {
  let catalogue: ReadCatalogue;
  let counts: number[];
  let day: string;
  beforeAll(async () => {
    const count = () => daysBefore() + 1;
    const before = count();
    day = new Date(Date.now() - 3 * DAY_MILLISECONDS).toISOString().slice(0, 10).replaceAll('-', '/');
    const asked = { table: LINES_TABLE, key: 'delivery_day', value: day, bucket: 'security-data' };
    catalogue = await readCatalogue(await templateWith({ query: true, ...options }), asked);
    // Midnight may have passed.
    counts = [before, count()];
  });

  test('each view is a view to Trino, with the SQL that runs on DuckDB', () => {
    const view = { isView: true, catalog: 'awsdatacatalog', schema: 'security_events_acme' };
    expect(catalogue.views).toEqual(
      Object.fromEntries(VIEWS.map(({ name, sql, columns }) => [name, { ...view, sql, columns }])),
    );
  });

  test('the partition of a day lies where Firehose writes on that day', () => {
    expect(Object.values(catalogue.locations)).toEqual([`${BUCKET}/events/${day}/`]);
  });

  test('there is a partition for each day on which an object can have been written, up to today', () => {
    expect(counts).toContain(catalogue.all);
  });
});
