import { integer } from '../../lambda/options.ts';
import { PREFIXES } from '../prefixes.ts';
import { bucketSettings, FILE_EXTENSION, kind, TIME_PREFIX } from './destination.ts';

/** Path in an envelope, or in OCSF: while a deployment changes the format, Firehose receives both. */
const STREAM_OF_LINE = '{stream:(.stream // .metadata.log_name)}';

/** Firehose takes packed records apart (500 lines a record at most), reads `stream` from each line, and ends each line again. */
const BY_STREAM = [
  { type: 'RecordDeAggregation', parameters: [{ parameterName: 'SubRecordType', parameterValue: 'JSON' }] },
  {
    type: 'MetadataExtraction',
    parameters: [
      { parameterName: 'MetadataExtractionQuery', parameterValue: STREAM_OF_LINE },
      { parameterName: 'JsonParsingEngine', parameterValue: 'JQ-1.6' },
    ],
  },
  { type: 'AppendDelimiterToRecord', parameters: [] },
];

/** As `s3`, with each stream below its own prefix: `events/<stream>/yyyy/MM/dd/HH/`. */
export const s3ByStream = kind(
  {
    required: {},
    optional: {
      /**
       * How long Firehose buffers events of one stream before it delivers them, 60 to 900 seconds.
       *
       * @default Duration.seconds(60)
       */
      bufferInterval: { schema: integer(60, 900, 'seconds'), default: 60, name: 'bufferSeconds', form: 'seconds' },
    },
  },
  {
    metrics: 'DeliveryToS3',
    deliversObjects: true,
    properties: parts => ({
      extendedS3DestinationConfiguration: {
        ...bucketSettings(parts),
        fileExtension: FILE_EXTENSION,
        prefix: `${PREFIXES.events}!{partitionKeyFromQuery:stream}/${TIME_PREFIX}`,
        // 64 MiB is the least that Firehose accepts with dynamic partitioning.
        bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 64 },
        dynamicPartitioningConfiguration: { enabled: true, retryOptions: { durationInSeconds: 300 } },
        processingConfiguration: { enabled: true, processors: BY_STREAM },
      },
    }),
  },
);
