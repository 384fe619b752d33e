import { DescribeDeliveryStreamCommand } from '@aws-sdk/client-firehose';
import {
  GetBucketNotificationConfigurationCommand,
  type NotificationConfiguration,
  type QueueConfiguration,
} from '@aws-sdk/client-s3';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import type { Aws } from '../../aws.ts';
import { restore } from '../../deployment/restore.ts';
import { AwsCallError } from '../../errors.ts';
import { type Check, type Finding, fail, ok, skipped, warn } from '../check.ts';
import type { DoctorContext } from '../patient.ts';

/** Whether the SIEM hears of new objects: for a bucket that was brought, its owner must have seen to it. */
export const announcements: Check<DoctorContext> = {
  name: 'announcements',
  needs: ['bucket', 'siem-queue', 'delivery-stream'],
  async look({ aws, deployment }) {
    const { bucket: name, outputs, siem, stackName, deliveryStream: stream } = await deployment();
    if (!siem) return skipped('the SIEM is told by other means than a queue');
    try {
      const told = await aws.s3().send(new GetBucketNotificationConfigurationCommand({ Bucket: name }));
      const queueArn = outputs.get('SiemQueueArn') ?? '';
      return announcementsFinding(told, { bucket: name, queueArn, stackName, ending: await endingOf(aws, stream) });
    } catch (cause) {
      const advice = 'You need s3:GetBucketNotification on it.';
      throw new AwsCallError(`The notifications of the bucket ${name} could not be read`, advice, cause);
    }
  },
};

export interface Announced {
  readonly bucket: string;
  readonly queueArn: string;
  readonly stackName: string;
  /** Of the names of what Firehose delivers. */
  readonly ending: string;
}

async function endingOf(aws: Aws, name: string): Promise<string> {
  const command = new DescribeDeliveryStreamCommand({ DeliveryStreamName: name });
  const { DeliveryStreamDescription: told } = await aws.firehose().send(command);
  const { DataFormatConversionConfiguration: conversion } =
    told?.Destinations?.[0]?.ExtendedS3DestinationDescription ?? {};
  return conversion?.Enabled ? '.parquet' : '.json.gz';
}

/** Firehose writes small objects in one piece and large ones in parts, so both must be announced. */
const CREATED = ['s3:ObjectCreated:Put', 's3:ObjectCreated:CompleteMultipartUpload'];

export function announcementsFinding(
  { QueueConfigurations: all = [], EventBridgeConfiguration: bridge }: NotificationConfiguration,
  wanted: Announced,
): Finding {
  const { events } = PREFIXES;
  const own = all.filter(({ QueueArn }) => QueueArn === wanted.queueArn);
  const whole = own.filter(
    each => events.startsWith(filterOf(each, 'prefix')) && wanted.ending.endsWith(filterOf(each, 'suffix')),
  );
  const lacking = CREATED.filter(kind => !whole.some(({ Events = [] }) => Events.some(each => covers(each, kind))));
  if (lacking.length === 0) {
    if (whole.some(each => filterOf(each, 'prefix') === events)) {
      return ok(`the bucket announces objects below ${events} on the SIEM’s queue`);
    }
    const text = `the bucket announces more than ${events} on the SIEM’s queue: the reader may not read the rest, and gives up on it`;
    return warn(text, remedy(wanted));
  }
  if (own.length > 0) {
    return fail(`the bucket does not announce every new object below ${events} on the SIEM’s queue`, remedy(wanted));
  }
  const other = bridge ? ': it tells EventBridge, which does not reach the queue' : '';
  return fail(`the bucket announces no object on the SIEM’s queue${other}`, remedy(wanted));
}

function covers(event: string, kind: string): boolean {
  return event === kind || event === 's3:ObjectCreated:*';
}

/** Nothing where there is no such filter: every key passes it. */
function filterOf({ Filter }: QueueConfiguration, name: 'prefix' | 'suffix'): string {
  return Filter?.Key?.FilterRules?.find(rule => rule.Name?.toLowerCase() === name)?.Value ?? '';
}

function remedy({ bucket, queueArn, stackName }: Announced): string {
  return (
    `A bucket that you brought (bucketArn): have its owner add an event notification of s3:ObjectCreated:*, prefix ${PREFIXES.events}, ` +
    `to ${queueArn}, in the console of ${bucket}; put-bucket-notification-configuration would replace all others. ` +
    `A bucket of the stack: ${restore(stackName)}`
  );
}
