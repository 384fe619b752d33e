/** Where Firehose delivers: what a delivery stream says of its destination. */
import {
  type DeliveryStreamDescription,
  DescribeDeliveryStreamCommand,
  type DestinationDescription,
} from '@aws-sdk/client-firehose';
import { PREFIXES } from '../../lib/prefixes.ts';
import type { Aws } from './aws.ts';
import type { Context } from './context.ts';
import { type Deployment, restore } from './deployment.ts';
import { awsCall, hasMissing, isCutOff } from './errors.ts';

/** @param gone what to do if it does not exist @throws AwsCallError */
export async function describeDeliveryStream(
  aws: Aws,
  name: string,
  gone?: string,
): Promise<Partial<DeliveryStreamDescription>> {
  const { DeliveryStreamDescription: description = {} } = await awsCall(
    aws.firehose().send(new DescribeDeliveryStreamCommand({ DeliveryStreamName: name })),
    `The delivery stream ${name} could not be described`,
    '',
    gone,
  );
  return description;
}

/** What to say if the delivery stream does not exist. Any other failure leaves that open. */
export async function lostDeliveryStream({ aws, deployment }: Context): Promise<string> {
  const { deliveryStream, stackName } = await deployment();
  const isLost = await describeDeliveryStream(aws, deliveryStream).then(() => false, hasMissing);
  return isLost ? `The delivery stream ${deliveryStream} does not exist. ${restore(stackName)}` : '';
}

/** Location of delivered events: a bucket with a prefix per hour, or why they cannot be found. */
export type DeliveryPlace = BucketPlace | { readonly elsewhere: string };

interface BucketPlace {
  readonly bucket: string;
  /** With Firehose's expressions. */
  readonly prefix: string;
}

const HOUR_MILLISECONDS = 3_600_000;
const DEFAULT_TIME = '!{timestamp:yyyy/MM/dd/HH}/';

export async function deliveryPlace(aws: Aws, { deliveryStream, bucket }: Deployment): Promise<DeliveryPlace> {
  try {
    return placeOf((await describeDeliveryStream(aws, deliveryStream)).Destinations?.[0]);
  } catch (error) {
    if (isCutOff(error)) throw error;
    // Without access to the stream, try the stack's own bucket.
    return { bucket, prefix: PREFIXES.events };
  }
}

export function placeOf(destination: DestinationDescription | undefined): DeliveryPlace {
  const s3 = destination?.ExtendedS3DestinationDescription;
  if (s3?.BucketARN) return { bucket: s3.BucketARN.replace(/^arn:[^:]*:s3:::/, ''), prefix: s3.Prefix ?? '' };
  const name = Object.keys(destination ?? {}).find(each => each.endsWith('DestinationDescription'));
  const words = name?.replace('DestinationDescription', '') || 'something else';
  return { elsewhere: `the delivery stream delivers to ${words}, not to S3` };
}

/** The prefixes from `start` to `end`, oldest first. Firehose uses the UTC hour of arrival. */
export function hourPrefixes(prefix: string, stream: string, start: number, end: number): string[] {
  const whole = prefix.includes('!{timestamp:') ? prefix : `${prefix}${DEFAULT_TIME}`;
  const own = whole.replaceAll('!{partitionKeyFromQuery:stream}', stream);
  const prefixes: string[] = [];
  for (let at = Math.floor(start / HOUR_MILLISECONDS) * HOUR_MILLISECONDS; at <= end; at += HOUR_MILLISECONDS) {
    prefixes.push(own.replaceAll(/!\{timestamp:([^}]*)\}/g, (_whole, form: string) => timeText(form, at)));
  }
  return [...new Set(prefixes)];
}

function timeText(form: string, at: number): string {
  const [year = '', month = '', day = '', hour = ''] = new Date(at).toISOString().split(/[-T:]/);
  const parts: Readonly<Record<string, string>> = { yyyy: year, MM: month, dd: day, HH: hour };
  return form.replaceAll(/yyyy|MM|dd|HH/g, name => parts[name] ?? name);
}
