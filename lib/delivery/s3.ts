import { integer } from '../../lambda/options.ts';
import { PREFIXES } from '../prefixes.ts';
import { bucketSettings, FILE_EXTENSION, kind, TIME_PREFIX } from './destination.ts';

/** Gzipped lines in the bucket, below `events/yyyy/MM/dd/HH/`. */
export const s3 = kind(
  {
    required: {},
    optional: {
      /**
       * How long Firehose buffers events before it delivers them, 0 to 900 seconds.
       *
       * @default Duration.seconds(60)
       */
      bufferInterval: { schema: integer(0, 900, 'seconds'), default: 60, name: 'bufferSeconds', form: 'seconds' },
    },
  },
  {
    metrics: 'DeliveryToS3',
    deliversObjects: true,
    // Packed records need no processing: S3 gets their bytes as they are, and each line is ended.
    properties: parts => ({
      extendedS3DestinationConfiguration: {
        ...bucketSettings(parts),
        fileExtension: FILE_EXTENSION,
        prefix: `${PREFIXES.events}${TIME_PREFIX}`,
        bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 64 },
      },
    }),
  },
);
