import type { Duration } from 'aws-cdk-lib';
import type * as glue from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { PREFIXES } from '../prefixes.ts';
import type { ColumnType, View } from './views.ts';

/** Before the first version, so no object is older. */
const FIRST_DAY = '2026/01/01';
const MOST_DAYS_BACK = 1100;
/** S3 removes what has expired within a day or two. */
const DAYS_TO_EXPIRE = 2;

export interface LinesTableProps {
  readonly bucket: IBucket;
  /** Lifetime of objects. Absent for an existing bucket. */
  readonly retention?: Duration;
}

/**
 * The delivered objects as lines of text, partitioned by the prefixes that Firehose writes. Athena computes the partitions, so no crawler is
 * needed.
 */
export function linesTable(props: LinesTableProps): glue.CfnTable.TableInputProperty {
  const { bucket } = props;
  return {
    name: LINES_TABLE,
    description: 'The delivered events as lines of text. The view events reads them.',
    tableType: 'EXTERNAL_TABLE',
    partitionKeys: [{ name: 'delivery_day', type: 'string', comment: 'yyyy/MM/dd, UTC, of the delivery' }],
    parameters: { EXTERNAL: 'TRUE', ...projection(props) },
    storageDescriptor: {
      location: bucket.s3UrlForObject(PREFIXES.events),
      columns: [{ name: 'line', type: 'string' }],
      inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
      compressed: true,
      serdeInfo: {
        // The default delimiter is U+0001, which JSON must escape. So the one column holds the whole line.
        serializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
        parameters: { 'serialization.format': '1' },
      },
    },
  };
}

/** Partitions by day. They begin at the oldest object, because a query lists every partition, even an empty one. */
function projection({ bucket, retention }: LinesTableProps): Record<string, string> {
  // With a longer retention, FIRST_DAY is the later of the two days for years.
  const isShort = retention && !retention.isUnresolved() && retention.toDays() <= MOST_DAYS_BACK;
  const first = isShort ? `NOW-${retention.toDays() + DAYS_TO_EXPIRE}DAYS` : FIRST_DAY;
  return {
    'projection.enabled': 'true',
    'projection.delivery_day.type': 'date',
    'projection.delivery_day.format': 'yyyy/MM/dd',
    'projection.delivery_day.range': `${first},NOW`,
    'projection.delivery_day.interval': '1',
    'projection.delivery_day.interval.unit': 'DAYS',
    // The placeholder is Athena's, not TypeScript's.
    'storage.location.template': `${bucket.s3UrlForObject(PREFIXES.events)}\${delivery_day}/`,
  };
}

/** Types of the catalogue, which are Hive's. */
const CATALOGUE_TYPES: Readonly<Record<ColumnType, string>> = { varchar: 'string', 'timestamp(3)': 'timestamp' };

/**
 * A view as Athena keeps it in the catalogue: a table without data, whose text is the definition as JSON in base64. AWS documents only
 * `create view`. The form is that of Trino's `HiveViewCodec`.
 */
export function athenaView({ name, columns, sql }: View, database: string): glue.CfnTable.TableInputProperty {
  const entries = Object.entries(columns);
  const definition = {
    originalSql: sql,
    catalog: 'awsdatacatalog',
    schema: database,
    columns: entries.map(([column, type]) => ({ name: column, type })),
  };
  const encoded = Buffer.from(JSON.stringify(definition)).toString('base64');
  return {
    name,
    tableType: 'VIRTUAL_VIEW',
    parameters: { presto_view: 'true', comment: 'Presto View' },
    viewOriginalText: `/* Presto View: ${encoded} */`,
    viewExpandedText: '/* Presto View */',
    storageDescriptor: {
      columns: entries.map(([column, type]) => ({ name: column, type: CATALOGUE_TYPES[type] })),
      // A view has no SerDe, but the template would drop an empty value.
      serdeInfo: { name: '-', serializationLibrary: '-' },
    },
  };
}
/** Names in the catalogue and in Athena. They must be known at synth, because the text of a view contains its database. */

/**
 * Underscores replace hyphens, which would have to be quoted in every query. A connector's name has no underscore, so no two names become one.
 */
export function databaseName(connectorName: string): string {
  return `security_events_${connectorName.replaceAll('-', '_')}`;
}

export function workgroupName(connectorName: string): string {
  return `security-data-${connectorName}`;
}

/** The table of delivered lines, which the view `events` reads. */
export const LINES_TABLE = 'lines';
