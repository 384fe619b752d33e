/** Where a delivery stream puts events, as far as they can be looked up: below prefixes of a bucket, an hour each. */
import { DescribeDeliveryStreamCommand, type DestinationDescription } from '@aws-sdk/client-firehose';
import { PREFIXES } from '../../../lib/prefixes.ts';
import type { Aws } from '../aws.ts';
import type { Deployment } from '../deployment/find-deployment.ts';
import { isCutOff } from '../errors.ts';

export type DeliveryPlace =
  | { readonly bucket: string /** With Firehose's own expressions. */; readonly prefix: string }
  /** Why events cannot be looked up. */
  | { readonly elsewhere: string };

const HOUR_MILLISECONDS = 3_600_000;
const DEFAULT_TIME = '!{timestamp:yyyy/MM/dd/HH}/';

export async function deliveryPlace(aws: Aws, { deliveryStream, bucket }: Deployment): Promise<DeliveryPlace> {
  try {
    const command = new DescribeDeliveryStreamCommand({ DeliveryStreamName: deliveryStream });
    const { DeliveryStreamDescription: told } = await aws.firehose().send(command);
    return placeOf(told?.Destinations?.[0]);
  } catch (error) {
    if (isCutOff(error)) throw error;
    // Whoever may not describe the stream may still read the bucket, where a stack puts its events unless told otherwise.
    return { bucket, prefix: PREFIXES.events };
  }
}

export function placeOf(destination: DestinationDescription | undefined): DeliveryPlace {
  const s3 = destination?.ExtendedS3DestinationDescription;
  if (s3?.DataFormatConversionConfiguration?.Enabled) {
    return { elsewhere: 'the delivery stream converts events to Parquet, which is not read here' };
  }
  if (s3?.BucketARN) return { bucket: s3.BucketARN.replace(/^arn:[^:]*:s3:::/, ''), prefix: s3.Prefix ?? '' };
  const name = Object.keys(destination ?? {}).find(each => each.endsWith('DestinationDescription'));
  const words = name?.replace('DestinationDescription', '') || 'something else';
  return { elsewhere: `the delivery stream delivers to ${words}, not to S3` };
}

/** The prefixes of the hours from `start` to `end`, oldest first. Firehose writes the hour of arrival, in UTC. */
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
