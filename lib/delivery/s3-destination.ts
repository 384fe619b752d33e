import { PREFIXES } from '../prefixes.ts';
import { bucketSettings, type DestinationParts, type DestinationProperties, TIME_PREFIX } from './parts.ts';

/** SIEMs tell gzipped lines of JSON by this ending; Firehose alone would write `.gz`. */
const FILE_EXTENSION = '.json.gz';

/** Packed records need no care here: S3 gets their bytes as they are, and each line is ended. */
export function s3Destination(parts: DestinationParts): DestinationProperties {
  return {
    extendedS3DestinationConfiguration: {
      ...bucketSettings(parts),
      fileExtension: FILE_EXTENSION,
      prefix: `${PREFIXES.events}${TIME_PREFIX}`,
      bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 64 },
    },
  };
}

/**
 * Objects by stream. Firehose takes packed records apart, reads `stream` from each line, and ends each line again. It does so for
 * 500 lines a record at most, which is what the function packs.
 */
export function s3ByStreamDestination(parts: DestinationParts): DestinationProperties {
  return {
    extendedS3DestinationConfiguration: {
      ...bucketSettings(parts),
      fileExtension: FILE_EXTENSION,
      prefix: `${PREFIXES.events}!{partitionKeyFromQuery:stream}/${TIME_PREFIX}`,
      // 64 MiB is the least that Firehose accepts with dynamic partitioning.
      bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 64 },
      dynamicPartitioningConfiguration: { enabled: true, retryOptions: { durationInSeconds: 300 } },
      processingConfiguration: { enabled: true, processors: BY_STREAM },
    },
  };
}

/** Of the envelope, or of OCSF: while a deployment changes the format, Firehose meets both. */
const STREAM_OF_LINE = '{stream:(.stream // .metadata.log_name)}';

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
