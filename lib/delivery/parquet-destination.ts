import { Stack } from 'aws-cdk-lib';
import { PREFIXES } from '../prefixes.ts';
import type { ParquetSchema } from './parquet-schema.ts';
import { bucketSettings, type DestinationParts, type DestinationProperties, TIME_PREFIX } from './parts.ts';

/** The least that Firehose accepts where it converts. */
const BUFFER_MEBIBYTES = 64;

/**
 * Lines become Parquet, and are kept beside it as they were sent, because the conversion writes `row` anew and a line that does not fit
 * its columns is not converted at all. Packed records are converted line by line. Parquet compresses itself, so S3 must not.
 */
export function s3ParquetDestination(parts: DestinationParts, schema: ParquetSchema): DestinationProperties {
  const buffer = { intervalInSeconds: parts.bufferSeconds, sizeInMBs: BUFFER_MEBIBYTES };
  return {
    extendedS3DestinationConfiguration: {
      ...bucketSettings(parts),
      compressionFormat: 'UNCOMPRESSED',
      fileExtension: '.parquet',
      prefix: `${PREFIXES.events}${TIME_PREFIX}`,
      bufferingHints: buffer,
      dataFormatConversionConfiguration: conversion(parts, schema),
      s3BackupMode: 'Enabled',
      s3BackupConfiguration: {
        ...bucketSettings(parts),
        prefix: `${PREFIXES.lines}${TIME_PREFIX}`,
        bufferingHints: buffer,
      },
    },
  };
}

function conversion({ role }: DestinationParts, schema: ParquetSchema) {
  const { account, region } = Stack.of(schema);
  return {
    enabled: true,
    // By default two members whose names differ only in case make a line unreadable, and names within `row` lose their case.
    inputFormatConfiguration: { deserializer: { openXJsonSerDe: { caseInsensitive: false } } },
    outputFormatConfiguration: { serializer: { parquetSerDe: { compression: 'SNAPPY' } } },
    schemaConfiguration: {
      roleArn: role.roleArn,
      catalogId: account,
      region,
      databaseName: schema.databaseName,
      tableName: schema.tableName,
      versionId: 'LATEST',
    },
  };
}
