import { randomBytes } from 'node:crypto';
import { PutRecordCommand } from '@aws-sdk/client-firehose';
import { Command } from 'commander';
import { testEventLine } from '../../../lib/test-event.ts';
import { helpText, type RunAction } from '../command.ts';
import type { Context } from '../context.ts';
import { awsCall } from '../errors.ts';
import type { CommandOutcome } from '../report.ts';

export function testEventCommand(run: RunAction): Command {
  return new Command('test-event')
    .description('send one test event to the SIEM')
    .addHelpText('after', helpText(MEANING, 'test-event', 'test-event --connector acme'))
    .action(run(sendTestEvent));
}

const MEANING = `Firehose delivers the event with the next ones: after bufferSeconds, which are 15 minutes at most. Search for its event_id in the SIEM.
The command works while the connector is paused or a run is in progress. No view counts the event.`;

/** @throws RefusedError, AwsCallError */
async function sendTestEvent({ aws, clock, deployment }: Context): Promise<CommandOutcome> {
  const { connector, deliveryStream } = await deployment();
  const id = randomBytes(16).toString('hex');
  const time = new Date(clock.now());

  const Record = { Data: Buffer.from(testEventLine({ connector, id, time })) };
  await awsCall(
    aws.firehose().send(new PutRecordCommand({ DeliveryStreamName: deliveryStream, Record })),
    `The delivery stream ${deliveryStream} did not take the test event`,
    'The test event was not sent, unless the connection broke.',
  );

  const text = [
    `Firehose took the test event ${id} at ${time.toISOString()}, and delivers it after its buffer time.`,
    `In the SIEM, search for event_id ${id}. docs/integrations/every-siem.md has the search of each SIEM.`,
    'No view counts it: its kind and stream are "test", and its sequence is below that of every event.',
  ].join('\n');
  return { text, json: { eventId: id, sentAt: time.toISOString() } };
}
