/** Puts events again into the delivery stream that Firehose could not deliver, and deletes what held them. */
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { createFirehose } from '../../../lambda/sink/firehose.ts';
import type { Context } from '../context.ts';
import { AwsCallError } from '../errors.ts';
import { eventsOf, readErrorObject } from './error-records.ts';
import { readObject } from './read-object.ts';
import type { Redriven } from './redriven.ts';

/** For the records of one object, also where Firehose throttles. */
const BUDGET_MILLISECONDS = 60_000;

/**
 * The object is deleted only after Firehose has acknowledged every record: killed in between, its events are sent once more,
 * which the rule of the greatest sequence makes harmless.
 *
 * @throws RefusedError where there is no such object; AwsCallError
 */
export async function redriveDelivery(context: Context, key: string): Promise<Redriven> {
  const { bucket, connector, deliveryStream } = await context.deployment();
  const events = eventsOf(readErrorObject(await readObject(context, key)), connector);
  if ('why' in events) return { key, outcome: 'kept', reason: events.why };
  await deliver(context, deliveryStream, events.lines);
  try {
    await context.aws.s3().send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  } catch (cause) {
    throw new AwsCallError(
      `${key} could not be deleted`,
      'Its events were sent again. You need s3:DeleteObject on it.',
      cause,
    );
  }
  return { key, outcome: 'sent', events: events.lines.length };
}

/** What was sent before keeps its sequence: it may come beside whatever a run sends. */
const NO_LEASE = async () => undefined;

async function deliver({ aws, clock }: Context, stream: string, lines: readonly string[]): Promise<void> {
  const end = clock.now() + BUDGET_MILLISECONDS;
  const retryBudget = { clock, random: Math.random, timeLeft: () => end - clock.now() };
  try {
    await createFirehose(aws.firehose(), stream, retryBudget).deliver(lines, NO_LEASE);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const advice =
      'Its object is where it was; events already taken come again, which is harmless. You need firehose:PutRecordBatch.';
    throw new AwsCallError(`The delivery stream ${stream} did not take every event`, advice, cause);
  }
}
