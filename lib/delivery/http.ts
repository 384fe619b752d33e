import { integer } from '../../lambda/options.ts';
import { endpointUrl, secretArn, text } from '../config/fields.ts';
import { endpointSettings, kind, RETRY } from './destination.ts';

/** Any endpoint that accepts Firehose's HTTP requests and splits records at line ends. */
export const http = kind(
  {
    required: {
      /** Address that accepts Firehose's HTTP requests and splits records at line ends. https only. */
      url: { schema: endpointUrl },
    },
    optional: {
      /**
       * Name of the endpoint in the console.
       *
       * @default - none
       */
      name: { schema: text },
      /**
       * Existing secret with `{"api_key"}`.
       *
       * @default - a secret with a placeholder is created, and an output has the command that fills it
       */
      secret: { schema: secretArn, name: 'secretArn', form: 'secret' },
      /**
       * How long Firehose buffers events before it delivers them, 0 to 900 seconds.
       *
       * @default Duration.seconds(60)
       */
      bufferInterval: { schema: integer(0, 900, 'seconds'), default: 60, name: 'bufferSeconds', form: 'seconds' },
      ...RETRY,
    },
  },
  {
    metrics: 'DeliveryToHttpEndpoint',
    token: 'api_key',
    properties: (parts, { url, name, retry }) => ({
      httpEndpointDestinationConfiguration: {
        ...endpointSettings(parts, retry),
        endpointConfiguration: { url, ...(name && { name }) },
        requestConfiguration: { contentEncoding: 'GZIP' },
        roleArn: parts.role.roleArn,
        bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 4 },
        s3BackupMode: 'FailedDataOnly',
      },
    }),
  },
);
