import { randomBytes } from 'node:crypto';
import { PutRecordCommand } from '@aws-sdk/client-firehose';
import { Command } from 'commander';
import { TEST, testEventLine } from '../../../lib/test-event.ts';
import { help, type Run, wholeNumber } from '../command.ts';
import type { Context } from '../context.ts';
import { deliveryPlace } from '../delivery-place.ts';
import { AwsCallError, awsCall, InterruptedError } from '../errors.ts';
import type { Outcome } from '../report.ts';
import { findEvent } from './lookup/find-event.ts';

interface TestEventOptions {
  /** Seconds. */
  readonly wait: number;
}

export function testEventCommand(run: Run): Command {
  return new Command('test-event')
    .description('send one test event to the SIEM, and wait until it is delivered')
    .option(
      '--wait <seconds>',
      'how long to wait for the object in the bucket; 0 does not wait',
      wholeNumber({ unit: ' of seconds' }),
      300,
    )
    .addHelpText('after', help(MEANING, 'test-event', 'test-event --stack acme --wait 0'))
    .action(run(sendTestEvent));
}

const MEANING = `It works while the connector is paused or a run is in progress. No view counts the event. A destination other than a bucket is
not waited for.
Exit status 3: the bucket does not have the event in time.`;

/** @throws RefusedError, AwsCallError */
async function sendTestEvent(context: Context, { wait }: TestEventOptions): Promise<Outcome> {
  const { connector, deliveryStream } = await context.deployment();
  const id = randomBytes(16).toString('hex');
  const time = new Date(context.clock.now());
  await put(context, deliveryStream, testEventLine({ connector, id, time }));
  context.report.say('Firehose has the test event.');
  const found = await waitForObject(context, id, time, wait);
  const delivered = 'place' in found ? `It is in ${found.place}.` : `${sentence(found.notFound)}`;
  const text = [
    `Test event ${id} was sent at ${time.toISOString()}. ${delivered}`,
    `In the SIEM, search for event_id ${id}. docs/siem/completeness.md has the search of each SIEM.`,
    'No view counts it: its kind and stream are "test", and its sequence is below that of every event.',
  ].join('\n');
  const place = 'place' in found ? found.place : null;
  const isMissing = wait > 0 && place === null && !('elsewhere' in found);
  return { text, json: { eventId: id, sentAt: time.toISOString(), place }, status: isMissing ? 3 : 0 };
}

async function put({ aws }: Context, stream: string, line: string): Promise<void> {
  const record = { Data: Buffer.from(line) };
  await awsCall(
    aws.firehose().send(new PutRecordCommand({ DeliveryStreamName: stream, Record: record })),
    `The delivery stream ${stream} did not take the test event`,
    { safe: 'The test event was not sent, unless the connection broke.' },
  );
}

type Delivered = { readonly place: string } | { readonly notFound: string; readonly elsewhere?: true };

const POLL_MILLISECONDS = 10_000;

/** @throws AwsCallError */
async function waitForObject(context: Context, id: string, time: Date, seconds: number): Promise<Delivered> {
  const { aws, clock } = context;
  const place = await deliveryPlace(aws, await context.deployment());
  if ('elsewhere' in place) return { notFound: place.elsewhere, elsewhere: true };
  if (seconds === 0) return { notFound: 'the bucket was not read' };
  const query = { stream: TEST.stream, id, sequence: TEST.sequence, forwardedAt: time.toISOString() };
  const end = clock.now() + seconds * 1000;
  try {
    for (;;) {
      const found = await findEvent(aws, place, query);
      if ('place' in found) return found;
      if (clock.now() >= end) return { notFound: `after ${seconds} s ${found.notFound}` };
      await clock.sleep(Math.min(POLL_MILLISECONDS, end - clock.now()), context.signal);
    }
  } catch (cause) {
    if (context.signal.aborted) throw new InterruptedError(`Interrupted. The test event ${id} was sent.`, { cause });
    throw new AwsCallError(`The bucket ${place.bucket} could not be read`, cause, { safe: 'The test event was sent.' });
  }
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}
