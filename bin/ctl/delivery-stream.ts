/** The delivery stream that the function puts events into. */
import { type DeliveryStreamDescription, DescribeDeliveryStreamCommand } from '@aws-sdk/client-firehose';
import type { Aws } from './aws.ts';
import type { Context } from './context.ts';
import { restoreAdvice } from './deployment.ts';
import { awsCall, isMissingResource } from './errors.ts';

/**
 * When Firehose deletes a stream, it also deletes the events that it has acknowledged but not
 * delivered.
 */
export const LOST_EVENTS_ADVICE =
  'Events that it had accepted and not delivered are gone: see docs/runbook.md#a-deleted-delivery-stream.';

/** @param gone advice if the delivery stream does not exist @throws AwsCallError */
export async function describeDeliveryStream(
  aws: Aws,
  name: string,
  gone?: string,
): Promise<Partial<DeliveryStreamDescription>> {
  const { DeliveryStreamDescription: description = {} } = await awsCall(
    aws.firehose().send(new DescribeDeliveryStreamCommand({ DeliveryStreamName: name })),
    `The delivery stream ${name} could not be described`,
    undefined,
    gone,
  );
  return description;
}

/**
 * Advice about a delivery stream that does not exist. Empty if the stream exists, or if AWS does
 * not tell whether it exists.
 */
export async function lostDeliveryStreamAdvice({ aws, deployment }: Context): Promise<string> {
  const { deliveryStream, stackName } = await deployment();
  const isLost = await describeDeliveryStream(aws, deliveryStream).then(() => false, isMissingResource);
  return isLost
    ? `The delivery stream ${deliveryStream} does not exist. ${LOST_EVENTS_ADVICE} ${restoreAdvice(stackName)}`
    : '';
}
