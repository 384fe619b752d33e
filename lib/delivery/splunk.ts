import { integer } from '../../lambda/options.ts';
import { endpointUrl, secretArn } from '../config/fields.ts';
import { endpointSettings, kind, RETRY } from './destination.ts';

/** Splunk's HTTP Event Collector. */
export const splunk = kind(
  {
    required: {
      /** Address of the HTTP Event Collector, with indexer acknowledgement enabled. https only. */
      url: { schema: endpointUrl },
    },
    optional: {
      /**
       * Existing secret with `{"hec_token"}`.
       *
       * @default - a secret with a placeholder is created, and an output has the command that fills it
       */
      secret: { schema: secretArn, name: 'secretArn', form: 'secret' },
      /**
       * How long Firehose buffers events before it delivers them, 0 to 60 seconds.
       *
       * @default Duration.seconds(60)
       */
      bufferInterval: { schema: integer(0, 60, 'seconds'), default: 60, name: 'bufferSeconds', form: 'seconds' },
      ...RETRY,
    },
  },
  {
    metrics: 'DeliveryToSplunk',
    token: 'hec_token',
    properties(parts, { url, retry }) {
      const { s3Configuration, ...settings } = endpointSettings(parts, retry);
      return {
        splunkDestinationConfiguration: {
          ...settings,
          hecEndpoint: url,
          // The raw endpoint splits packed records into lines. The event endpoint would take a record for one event.
          hecEndpointType: 'Raw',
          hecAcknowledgmentTimeoutInSeconds: 300,
          bufferingHints: { intervalInSeconds: parts.bufferSeconds, sizeInMBs: 5 },
          s3BackupMode: 'FailedEventsOnly',
          s3Configuration,
        },
      };
    },
  },
);
