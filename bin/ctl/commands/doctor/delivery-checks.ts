/** Checks of the SIEM's side: delivery stream, bucket and notifications. */
import type { DeliveryStreamDescription } from '@aws-sdk/client-firehose';
import {
  GetBucketNotificationConfigurationCommand,
  type NotificationConfiguration,
  type QueueConfiguration,
} from '@aws-sdk/client-s3';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { countObjects } from '../../bucket.ts';
import { describeDeliveryStream, LOST_EVENTS_ADVICE } from '../../delivery-stream.ts';
import { restoreAdvice } from '../../deployment.ts';
import { awsCall } from '../../errors.ts';
import { createCheck, type Finding, fail, ok, skipped, warn } from './context.ts';

/**
 * Checks the notifications, because the administrator of an existing bucket (`bucketArn`) must add
 * the notifications by hand.
 */
export const notificationsCheck = createCheck('notifications', ['bucket'], async ({ aws, deployment }) => {
  const { bucket: name, siem, stackName } = await deployment();
  if (!siem) return skipped('the SIEM does not read from a queue');
  const configuration = await awsCall(
    aws.s3().send(new GetBucketNotificationConfigurationCommand({ Bucket: name })),
    `The notifications of the bucket ${name} could not be read`,
  );
  return notificationsFinding(configuration, siem, notificationRemedy(name, siem.topicArn, stackName));
});

function notificationRemedy(name: string, topicArn: string, stackName: string): string {
  return (
    `Existing bucket (bucketArn): in the console of ${name} add an event notification of s3:ObjectCreated:*, prefix ${PREFIXES.events}, ` +
    `to the topic ${topicArn}. put-bucket-notification-configuration would replace all others. ` +
    `Bucket of the stack: ${restoreAdvice(stackName)}`
  );
}

interface Notification extends Pick<QueueConfiguration, 'Events' | 'Filter'> {
  readonly target: string | undefined;
}

function notificationsOf({ QueueConfigurations, TopicConfigurations }: NotificationConfiguration): Notification[] {
  return [
    ...(QueueConfigurations ?? []).map(({ QueueArn: target, ...rest }) => ({ target, ...rest })),
    ...(TopicConfigurations ?? []).map(({ TopicArn: target, ...rest }) => ({ target, ...rest })),
  ];
}

/** File extension of delivered objects. */
const ENDING = '.json.gz';
/** Both events are needed, because Firehose uses multipart uploads for large objects. */
const CREATED = ['s3:ObjectCreated:Put', 's3:ObjectCreated:CompleteMultipartUpload'];

/**
 * @param wanted topic of new objects, and the SIEM's queue, because an existing bucket may notify
 * the queue directly
 */
export function notificationsFinding(
  configuration: NotificationConfiguration,
  wanted: { readonly topicArn: string; readonly queueArn: string },
  remedy: string,
): Finding {
  const { events } = PREFIXES;
  const targets = [wanted.topicArn, wanted.queueArn];
  const own = notificationsOf(configuration).filter(({ target = '' }) => targets.includes(target));
  const whole = own.filter(
    each => events.startsWith(filterOf(each, 'prefix')) && ENDING.endsWith(filterOf(each, 'suffix')),
  );
  const isCovered = CREATED.every(kind => whole.some(({ Events = [] }) => Events.some(each => covers(each, kind))));
  if (isCovered && whole.some(each => filterOf(each, 'prefix') === events)) {
    return ok(`the bucket notifies the SIEM’s queue of objects below ${events}`);
  }

  const what = 'the SIEM’s queue of';
  if (isCovered) {
    return warn(`the bucket notifies ${what} more than ${events}: the reader has no access to the rest`, remedy);
  }
  if (own.length > 0) return fail(`the bucket does not notify ${what} every new object below ${events}`, remedy);
  const isOther = configuration.EventBridgeConfiguration !== undefined;
  const other = isOther ? ': it notifies EventBridge, which does not reach the queue' : '';
  return fail(`the bucket does not notify ${what} objects${other}`, remedy);
}

function covers(event: string, kind: string): boolean {
  return event === kind || event === 's3:ObjectCreated:*';
}

/** Value of the filter with this name. Empty if the notification has no such filter. */
function filterOf({ Filter }: Notification, name: 'prefix' | 'suffix'): string {
  return Filter?.Key?.FilterRules?.find(rule => rule.Name?.toLowerCase() === name)?.Value ?? '';
}

export const deliveryStreamCheck = createCheck('delivery-stream', ['stack'], async ({ aws, deployment }) => {
  const { deliveryStream: name, stackName } = await deployment();
  const remedy = `No event can be sent. ${restoreAdvice(stackName)}`;
  return deliveryStreamFinding(
    name,
    await describeDeliveryStream(aws, name, `${remedy} ${LOST_EVENTS_ADVICE}`),
    remedy,
  );
});

export function deliveryStreamFinding(
  name: string,
  { DeliveryStreamStatus: status, FailureDescription: failure }: Partial<DeliveryStreamDescription>,
  remedy: string,
): Finding {
  if (status === 'ACTIVE') return ok(`${name} is active`);
  if (status === 'CREATING')
    return warn(`${name} is being created`, 'No event can be sent yet. Check again in a minute.');
  return fail(`${name} is ${status}${failure?.Details ? `: ${failure.Details}` : ''}`, remedy);
}

export const bucketCheck = createCheck('bucket', ['stack'], async ({ aws, deployment }) => {
  const { bucket: name } = await deployment();
  const { count } = await countObjects(aws, name, PREFIXES.events, 1);
  return ok(`${name} ${count > 0 ? 'has events' : 'has no event yet'}`);
});
