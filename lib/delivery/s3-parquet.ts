import { integer } from '../../lambda/options.ts';
import { PREFIXES } from '../prefixes.ts';
import { bucketSettings, type DestinationParts, kind, TIME_PREFIX } from './destination.ts';

/** The least that Firehose accepts where it converts. */
const BUFFER_MEBIBYTES = 64;

/** As `s3`, converted to Parquet by Firehose, with the lines as they were sent below `lines/yyyy/MM/dd/HH/`. */
export const s3Parquet = kind(
  {
    required: {},
    optional: {
      /**
       * How long Firehose buffers events before it converts them, 60 to 900 seconds. It delivers sooner once it has 64 MiB. With a shorter
       * interval the files are small and many, and each query opens them all.
       *
       * @default Duration.seconds(300)
       */
      bufferInterval: { schema: integer(60, 900, 'seconds'), default: 300, name: 'bufferSeconds', form: 'seconds' },
    },
  },
  {
    metrics: 'DeliveryToS3',
    deliversObjects: true,
    converts: true,
    // The lines are kept as well: the conversion rewrites `row`, and drops a line that does not fit its columns.
    properties(parts) {
      const buffer = { intervalInSeconds: parts.bufferSeconds, sizeInMBs: BUFFER_MEBIBYTES };
      return {
        extendedS3DestinationConfiguration: {
          ...bucketSettings(parts),
          // Parquet is compressed already.
          compressionFormat: 'UNCOMPRESSED',
          fileExtension: '.parquet',
          prefix: `${PREFIXES.events}${TIME_PREFIX}`,
          bufferingHints: buffer,
          dataFormatConversionConfiguration: conversion(parts),
          s3BackupMode: 'Enabled',
          s3BackupConfiguration: {
            ...bucketSettings(parts),
            prefix: `${PREFIXES.lines}${TIME_PREFIX}`,
            bufferingHints: buffer,
          },
        },
      };
    },
  },
);

function conversion({ role, schema }: DestinationParts) {
  const { databaseName, tableName, account, region } = schema!;
  return {
    enabled: true,
    // By default, two members whose names differ only in case make a line unreadable, and names within `row` lose their case.
    inputFormatConfiguration: { deserializer: { openXJsonSerDe: { caseInsensitive: false } } },
    outputFormatConfiguration: { serializer: { parquetSerDe: { compression: 'SNAPPY' } } },
    schemaConfiguration: {
      roleArn: role.roleArn,
      catalogId: account,
      region,
      databaseName,
      tableName,
      versionId: 'LATEST',
    },
  };
}
