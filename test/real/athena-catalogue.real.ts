/** The catalogue of the template, as Athena's engine reads it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { STREAMS } from '../../lambda/streams.ts';
import { LINES_TABLE } from '../../lib/query/names.ts';
import { VIEWS } from '../../lib/query/views.ts';
import { synthesize } from '../lib/synth.ts';
import { type ReadCatalogue, readCatalogue } from './trino/read-catalogue.ts';

const DAY = '2026/11/20';
const BUCKET = 's3://security-data';
const FIRST_DAY = Date.UTC(2026, 0, 1);
const daysSoFar = () => Math.floor((Date.now() - FIRST_DAY) / 86_400_000) + 1;

const DESTINATIONS: readonly (readonly [type: string, prefixes: readonly string[]])[] = [
  ['s3', ['events', ...STREAMS.map(({ name }) => `events/${name}`), 'lines']],
  ['s3-parquet', ['lines']],
];

describe.each(DESTINATIONS)('of a destination %s', (type, prefixes) => {
  let catalogue: ReadCatalogue;
  let before: number;
  beforeAll(async () => {
    before = daysSoFar();
    const template = synthesize({ query: true, bucketArn: 'arn:aws:s3:::security-data', destination: { type } });
    catalogue = await readCatalogue(template, { table: LINES_TABLE, key: 'delivery_day', value: DAY });
  });

  test('each view is one to Trino, and is what is run on DuckDB', () => {
    expect(catalogue.views).toEqual(
      Object.fromEntries(
        VIEWS.map(({ name, sql, columns }) => [
          name,
          { isView: true, catalog: 'awsdatacatalog', schema: 'security_events_acme', sql, columns },
        ]),
      ),
    );
  });

  test('the partitions of a day lie where Firehose writes on that day', () => {
    expect(Object.values(catalogue.locations).sort()).toEqual(
      prefixes.map(prefix => `${BUCKET}/${prefix}/${DAY}/`).sort(),
    );
  });

  test('there is a partition for each day of each prefix since the first, up to today', () => {
    const counts = [before, daysSoFar()].map(days => days * prefixes.length);
    expect(counts).toContain(catalogue.all);
  });
});
