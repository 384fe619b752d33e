import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { CommandPage } from '../cli-reference/command-page.ts';
import type { Deployment } from '../support/deployment.ts';
import { sqsQueueName, startLost } from '../support/queues.ts';

const OVERSIZE = 'dead-letter/acme/dns-blocks/oversize/5e0c1f7a92d84b36a1f05d7be8c94f20.json';
const STUCK = 'dead-letter/acme/assets/no-id/1b7d3c9e4a5f60728394a5b6c7d8e9f0.json';
const ERROR = 'delivery-errors/splunk-failed/2026/11/20/12/acme-1-2026-11-20-12-00-00';

export const deadLetters: CommandPage = {
  command: 'dead-letters',
  purpose: `Lists what could not be sent, delivered or read, shows why, and sends it again after a fix. There are four places:

| Place | Content | Redrive |
| --- | --- | --- |
| \`dead-letter/\` in the bucket | Rows that cannot become events: no id, not an object, an id too long, larger than Firehose accepts | The function tries them again under its lease, once it has read their stream to the end |
| \`delivery-errors/\` in the bucket | Events that Firehose could not deliver to Splunk or an HTTP endpoint, or could not partition | The unchanged events are put into the delivery stream again |
| \`siem-dead-letters\` | Notifications that the SIEM received ten times without deleting them | SQS moves them back to the queue of the SIEM |
| \`schedule-dead-letters\` | Failed starts of the function | None: the next run does their work |

A row that is tried again has one of these results:

- \`sent\`: it can be an event now, and is the newest version in the stream or the current answer of the API. The dead letter is deleted.
- \`known\`, \`superseded\`: the SIEM has this version, or a newer one. The dead letter is deleted.
- \`kept\`: it still cannot be an event, the API refuses its id, it may not be the newest version, or the function cannot read it. The output gives the reason.

An object below \`delivery-errors/\` is deleted only after Firehose has acknowledged all its events. It is kept if it has anything but events of this
connector. A late event is harmless, because the [greatest sequence](events.md#the-rule-the-greatest-sequence-is-the-truth) counts. The bucket keeps deleted
objects for 30 days as earlier versions. Ctrl-C leaves nothing half done.

The exit status of \`list\` is 3 if there are dead letters, that of \`redrive\` is 3 if something is kept.`,
  scenes: [
    { before: createDeadLetters, args: ['dead-letters', 'list'] },
    { args: ['dead-letters', 'show', ERROR] },
    { args: ['dead-letters', 'show', 'schedule-dead-letters'] },
    { args: ['dead-letters', 'redrive', '--all', '--yes'] },
  ],
};

async function createDeadLetters(each: Deployment): Promise<void> {
  await each.run();
  const { clients, aws } = each.connector;
  const s3 = await clients.s3();
  const put = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket: aws.names.bucket, Key, Body }));
  await put(OVERSIZE, '{"reason":"oversize","stream":"dns-blocks","connector":"acme","row":{"id":"block-1"}}\n');
  await put(STUCK, '{"reason":"no-id","stream":"assets","connector":"acme","row":{"hostname":"web-01"}}\n');
  const [line = ''] = await each.connector.lines();
  const error = { errorCode: 'Splunk.AckTimeout', errorMessage: 'No acknowledgement in 300 s.', rawData: btoa(line) };
  await put(ERROR, `${JSON.stringify({ attemptsMade: 5, arrivalTimestamp: Date.now(), ...error })}\n`);
  for (let start = 0; start < 3; start++) startLost(each, '{}');
  const notification = { body: '{"Records":[]}', sourceArn: each.stack.outputs['SiemQueueArn']! };
  each.stack.queues.send(sqsQueueName(each.stack.outputs['SiemDeadLetterQueueUrl']), notification);
}
