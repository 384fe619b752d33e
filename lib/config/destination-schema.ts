import * as v from 'valibot';
import { arn, endpointUrl, integer, option, secretArn, text } from './fields.ts';

const DELIVERY_STREAM = arn(
  'firehose',
  'deliverystream/[A-Za-z0-9_.-]{1,64}',
  'arn:aws:firehose:eu-west-1:111122223333:deliverystream/name',
);

const bufferSeconds = v.optional(
  option('Seconds that Firehose gathers events before it delivers them.', integer(0, 900, 'seconds')),
);
const retrySeconds = v.optional(
  option(
    'Seconds that an unreachable endpoint is tried again before events go to the backup.',
    integer(0, 7200, 'seconds'),
  ),
);

/** Where the one delivery stream of a connector delivers to. */
export const destinationSchema = v.variant(
  'type',
  [
    v.strictObject({ type: v.literal('s3'), bufferSeconds }),
    v.strictObject({
      type: v.literal('s3-by-stream'),
      bufferSeconds: v.optional(
        option(
          'Seconds that Firehose gathers events of one stream before it delivers them.',
          integer(60, 900, 'seconds'),
        ),
      ),
    }),
    v.strictObject({
      type: v.literal('s3-parquet'),
      bufferSeconds: v.optional(
        option('Seconds that Firehose gathers events before it converts them.', integer(60, 900, 'seconds')),
      ),
    }),
    v.strictObject({
      type: v.literal('splunk'),
      url: option('Address of the HTTP Event Collector, with indexer acknowledgement on.', endpointUrl),
      secretArn: v.optional(option('Existing secret with {"hec_token"}. Left out: one is created.', secretArn)),
      bufferSeconds: v.optional(
        option('Seconds that Firehose gathers events before it delivers them.', integer(0, 60, 'seconds')),
      ),
      retrySeconds,
    }),
    v.strictObject({
      type: v.literal('http'),
      url: option('Address that takes Firehose’s HTTP requests and splits records at line ends.', endpointUrl),
      name: v.optional(option('Name of the endpoint in the console.', text)),
      secretArn: v.optional(option('Existing secret with {"api_key"}. Left out: one is created.', secretArn)),
      bufferSeconds,
      retrySeconds,
    }),
    v.strictObject({
      type: v.literal('existing'),
      deliveryStreamArn: option(
        'Delivery stream that takes direct puts, in the same account and region.',
        DELIVERY_STREAM,
      ),
      deliversTo: v.optional(
        option(
          'What that stream delivers to: its alarms follow from it.',
          v.picklist(['s3', 'splunk', 'http'], 'must be "s3", "splunk" or "http"'),
        ),
        's3',
      ),
    }),
  ],
  'must be "s3", "s3-by-stream", "s3-parquet", "splunk", "http" or "existing"',
);

export type DestinationConfig = v.InferOutput<typeof destinationSchema>;
