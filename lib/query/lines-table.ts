import type { Duration } from 'aws-cdk-lib';
import type * as glue from 'aws-cdk-lib/aws-glue';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { STREAMS } from '../../lambda/streams.ts';
import { converts, type Destination } from '../delivery/destination.ts';
import { PREFIXES } from '../prefixes.ts';
import { LINES_TABLE } from './names.ts';

/** Before the first version: no object is older. */
const FIRST_DAY = '2026/01/01';
const MOST_DAYS_BACK = 1100;
/** S3 removes what has expired within a day or two. */
const DAYS_TO_EXPIRE = 2;

export interface LinesTableProps {
  readonly bucket: IBucket;
  readonly destination: Destination;
  /** How long objects stay; absent where somebody else decides that. */
  readonly retention?: Duration;
}

/**
 * The delivered objects as lines of text, partitioned by where Firehose puts them. Athena works the partitions out by itself: no crawler,
 * nothing to be added as days go by.
 */
export function linesTable(props: LinesTableProps): glue.CfnTable.TableInputProperty {
  const { bucket } = props;
  return {
    name: LINES_TABLE,
    description: 'The delivered events as lines of text. The view events reads them.',
    tableType: 'EXTERNAL_TABLE',
    partitionKeys: [
      { name: 'prefix', type: 'string' },
      { name: 'delivery_day', type: 'string', comment: 'yyyy/MM/dd, UTC, of the delivery' },
    ],
    parameters: { EXTERNAL: 'TRUE', ...projection(props) },
    storageDescriptor: {
      // Athena asks for the slash: the bare name of a bucket is no location to it.
      location: `s3://${bucket.bucketName}/`,
      columns: [{ name: 'line', type: 'string' }],
      inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
      compressed: true,
      serdeInfo: {
        // Its delimiter is U+0001 unless one is given, which JSON allows nowhere as it is: the one column holds the whole line.
        serializationLibrary: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
        parameters: { 'serialization.format': '1' },
      },
    },
  };
}

/** Folders that `yyyy/MM/dd/HH/` stands below, without their last slash. */
function linePrefixes(destination: Destination): string[] {
  const [events, lines] = [PREFIXES.events, PREFIXES.lines].map(prefix => prefix.slice(0, -1)) as [string, string];
  // Where Firehose converts, `events/` holds no lines.
  if (converts(destination)) return [lines];
  // Every layout, whichever the destination has now: objects of the one before stay where they are.
  return [events, ...STREAMS.map(({ name }) => `${events}/${name}`), lines];
}

/** By the day, and no day before the oldest object: a query lists each partition, whether anything lies there or not. */
function projection({ bucket, destination, retention }: LinesTableProps): Record<string, string> {
  // Longer than that, the first day of all is the later of the two for years to come.
  const isShort = retention && retention.toDays() <= MOST_DAYS_BACK;
  const first = isShort ? `NOW-${retention.toDays() + DAYS_TO_EXPIRE}DAYS` : FIRST_DAY;
  return {
    'projection.enabled': 'true',
    'projection.prefix.type': 'enum',
    'projection.prefix.values': linePrefixes(destination).join(),
    'projection.delivery_day.type': 'date',
    'projection.delivery_day.format': 'yyyy/MM/dd',
    'projection.delivery_day.range': `${first},NOW`,
    'projection.delivery_day.interval': '1',
    'projection.delivery_day.interval.unit': 'DAYS',
    // Athena's placeholders, not those of this language.
    'storage.location.template': `s3://${bucket.bucketName}/\${prefix}/\${delivery_day}/`,
  };
}
