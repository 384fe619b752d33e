import * as v from 'valibot';
import { arn } from '../config/fields.ts';
import { kind } from './destination.ts';

const deliveryStreamArn = arn(
  'firehose',
  'deliverystream/[A-Za-z0-9_.-]{1,64}',
  'arn:aws:firehose:eu-west-1:111122223333:deliverystream/name',
);

/** A delivery stream that somebody else operates. The bucket then holds dead letters only. */
export const existing = kind(
  {
    required: {
      /** Delivery stream that accepts direct puts, in the same account and region. */
      deliveryStream: { schema: deliveryStreamArn, name: 'deliveryStreamArn', form: 'deliveryStream' },
    },
    optional: {
      /**
       * What that stream delivers to. The names of its metrics follow from it.
       *
       * @default 's3'
       */
      deliversTo: {
        schema: v.picklist(['s3', 'splunk', 'http'], 'must be "s3", "splunk" or "http"'),
        default: 's3',
      },
    },
  },
  {},
);
