/** Sends events again that Firehose could not deliver. */

import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { parseDeadLetterKey } from '../../../../lambda/core/dead-letter.ts';
import { packRecords } from '../../../../lambda/core/records.ts';
import { createDelivery } from '../../../../lambda/sink/firehose.ts';
import { PREFIXES } from '../../../../lib/prefixes.ts';
import { readObject } from '../../bucket.ts';
import { requireConfirmation } from '../../confirm.ts';
import type { Context } from '../../context.ts';
import { lostDeliveryStreamAdvice } from '../../delivery-stream.ts';
import { AwsCallError, awsCall, InterruptedError, RefusedError } from '../../errors.ts';
import type { CommandOutcome } from '../../report.ts';
import { startRetryBudget } from '../../retry-budget.ts';
import { tableText } from '../../text.ts';
import { eventsInErrorRecords } from './error-records.ts';
import { listDeliveryErrors } from './list.ts';

export interface RedriveOptions {
  readonly all?: true;
  readonly yes?: true;
}

/** Outcome of the redrive of one object. */
type Redriven =
  | { readonly key: string; readonly outcome: 'sent'; readonly events: number }
  | { readonly key: string; readonly outcome: 'kept'; readonly reason: string };

/** @throws RefusedError, AwsCallError, InterruptedError */
export async function redriveDeliveries(
  context: Context,
  addresses: readonly string[],
  options: RedriveOptions,
): Promise<CommandOutcome> {
  if (addresses.length > 0 === (options.all === true)) {
    throw new RefusedError('Give the addresses to send again, or --all, but not both. Nothing was done.');
  }
  const keys = options.all
    ? (await listDeliveryErrors(context)).map(({ key }) => key)
    : await deliveryKeysOf(context, addresses);

  // All objects are read before the question, so that the question only promises events that can be
  // sent.
  const kept: Redriven[] = [];
  const deliveries: string[] = [];
  let events = 0;
  for (const key of keys) {
    const found = await readEvents(context, key);
    if ('why' in found) kept.push({ key, outcome: 'kept', reason: found.why });
    else {
      deliveries.push(key);
      events += found.lines.length;
    }
  }
  if (deliveries.length === 0) return redriveOutcome(kept);

  const lost = await lostDeliveryStreamAdvice(context);
  if (lost) throw new RefusedError(`${lost} Nothing was done.`);
  await requireConfirmation(context, consequenceText(deliveries.length, events, kept), options);
  return redriveOutcome([...kept, ...(await redriveAll(context, deliveries))]);
}

/** @throws RefusedError if an address is not that of a failed delivery */
async function deliveryKeysOf(context: Context, addresses: readonly string[]): Promise<string[]> {
  const { connector, bucket } = await context.deployment();
  const keys = addresses.map(address => address.replace(`s3://${bucket}/`, ''));
  if (keys.some(key => parseDeadLetterKey(key, connector))) throw new RefusedError(ROWS_STAY);
  const unknown = keys.find(key => !key.startsWith(PREFIXES.deliveryErrors));
  if (unknown !== undefined) {
    throw new RefusedError(
      `${JSON.stringify(unknown)} is not a failed delivery. "dead-letters list" prints their addresses. Nothing was done.`,
    );
  }
  return [...new Set(keys)];
}

const ROWS_STAY =
  'A row is not sent again: it stays a dead letter until it changes, and then the next run sends it. Nothing was done.';

async function readEvents(context: Context, key: string) {
  const { connector } = await context.deployment();
  return eventsInErrorRecords((await readObject(context, key)).toString(), connector);
}

function consequenceText(deliveries: number, events: number, kept: readonly Redriven[]): string {
  const [first] = kept.flatMap(each => (each.outcome === 'kept' ? [each] : []));
  return [
    `The ${events} events of ${objectsText(deliveries)} of delivery errors are put into the delivery stream again.`,
    ...(first
      ? [`Nothing is done with ${objectsText(kept.length)} that cannot be sent, such as ${first.key}: ${first.reason}.`]
      : []),
    'Objects whose events were sent are deleted. Events may arrive twice, with the same event_id.',
  ].join('\n');
}

function objectsText(count: number): string {
  return count === 1 ? '1 object' : `${count} objects`;
}

/**
 * Redrives objects one by one, so that a failure or Ctrl-C leaves no object half done. A failure of
 * one object does not stop the redrive of the other objects.
 */
async function redriveAll(context: Context, deliveries: readonly string[]): Promise<Redriven[]> {
  const done: Redriven[] = [];
  const failures: unknown[] = [];
  for (const key of deliveries) {
    if (context.signal.aborted) break;
    try {
      done.push(await redriveDelivery(context, key));
    } catch (error) {
      failures.push(error);
      done.push({ key, outcome: 'kept', reason: error instanceof Error ? error.message : String(error) });
    }
  }

  if (context.signal.aborted) {
    const sent = done.filter(({ outcome }) => outcome === 'sent').length;
    throw new InterruptedError(
      `Interrupted. The events of ${sent} of ${deliveries.length} objects were sent again and the objects deleted; ` +
        'the rest is unchanged.',
    );
  }
  if (failures.length > 0 && failures.length === done.length) throw failures[0];
  return done;
}

/** Time for sending the records of one object, throttling included. */
const BUDGET_MILLISECONDS = 60_000;
/**
 * Does not check a lease, because events that are sent again keep their sequence, so a run may send
 * other events at the same time.
 */
const NO_LEASE = async () => undefined;

/**
 * Puts the events of an object into the delivery stream again. The object is deleted only after
 * Firehose has acknowledged every record. If the command is killed before the deletion, the events
 * are sent twice, which is safe because the greatest sequence counts.
 *
 * @throws RefusedError if there is no such object; AwsCallError
 */
async function redriveDelivery(context: Context, key: string): Promise<Redriven> {
  const { aws, clock } = context;
  const { bucket, deliveryStream } = await context.deployment();
  const events = await readEvents(context, key);
  if ('why' in events) return { key, outcome: 'kept', reason: events.why };

  const firehose = createDelivery(aws.firehose(), deliveryStream, startRetryBudget(clock, BUDGET_MILLISECONDS));
  await firehose.deliver(packRecords(events.lines), NO_LEASE).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const advice = 'Its object is unchanged. Accepted events will be repeated, which is safe.';
    throw new AwsCallError(`The delivery stream ${deliveryStream} did not accept every event`, cause, advice);
  });
  await awsCall(
    aws.s3().send(new DeleteObjectCommand({ Bucket: bucket, Key: key })),
    `${key} could not be deleted`,
    'Its events were sent again.',
  );
  return { key, outcome: 'sent', events: events.lines.length };
}

function redriveOutcome(all: readonly Redriven[]): CommandOutcome {
  if (all.length === 0) return { text: 'There is nothing to send again.', json: { redriven: [] } };
  const reasons = all.flatMap(each => (each.outcome === 'kept' ? [`${each.key}\n  ${each.reason}`] : []));
  const counts = [
    ['sent again', all.length - reasons.length],
    ['kept', reasons.length],
  ] as const;
  const rows = counts.filter(([, count]) => count > 0).map(([outcome, count]) => [outcome, String(count)]);
  return {
    text: [tableText(['outcome', 'count'], rows), ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n'),
    json: { redriven: all },
    status: reasons.length > 0 ? 3 : 0,
  };
}
