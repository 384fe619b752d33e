import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Deployment } from '../support/deployment.ts';
import { sqsQueueName, startLost } from '../support/queues.ts';
import type { CommandPage } from './command-page.ts';

const LETTER = 'dead-letter/acme/dns-blocks/oversize/5e0c1f7a92d84b36a1f05d7be8c94f20.json';
const STUCK = 'dead-letter/acme/assets/no-id/1b7d3c9e4a5f60728394a5b6c7d8e9f0.json';
const ERROR = 'delivery-errors/splunk-failed/2026/11/20/12/acme-1-2026-11-20-12-00-00';

export const deadLetters: CommandPage = {
  command: 'dead-letters',
  purpose: `What could not be sent, delivered or read, why, and how to send it again after a fix. Four places hold it:

| Place | What lies there | Redrive |
| --- | --- | --- |
| \`dead-letter/\` in the bucket | Rows that no event can carry: no id, no object, an id too long, larger than Firehose takes | The function tries them again, under its lease, once it has read their stream to its end |
| \`delivery-errors/\` in the bucket | What Firehose could not deliver to Splunk or an HTTP endpoint, or could not partition | Their events go into the delivery stream again, as they were |
| \`siem-dead-letters\` | Announcements of objects that the SIEM took ten times without finishing them | SQS moves them back to the queue of the SIEM |
| \`schedule-dead-letters\` | Starts of the function that could not be handed over | None: the next run does their work |

Of a row that is tried again becomes one of these:

- \`sent\`: it can be an event now, and is the newest that the stream delivered, or what the API answers now. The letter is deleted.
- \`known\`, \`superseded\`: the SIEM has this content already, or has what came after. The letter is deleted.
- \`kept\`: it still cannot be an event, the API refuses its id, it may not be the newest, or the function cannot read it. The reason is told.

An object of \`delivery-errors/\` is deleted only after Firehose has acknowledged all its events, and kept whole when it holds anything else than events of this
connector. An old event that arrives late is harmless: the [greatest sequence](events.md#the-rule-the-greatest-sequence-is-the-truth) counts. The bucket keeps what is
deleted for 30 days as an earlier version. Ctrl-C leaves nothing half done.

\`list\` exits with 3 when something is set aside, \`redrive\` when something is kept.`,
  scenes: [
    { before: setAside, args: ['dead-letters', 'list'] },
    { args: ['dead-letters', 'show', ERROR] },
    { args: ['dead-letters', 'show', 'schedule-dead-letters'] },
    { args: ['dead-letters', 'redrive', '--all', '--yes'] },
  ],
};

async function setAside(each: Deployment): Promise<void> {
  await each.run();
  const { clients, aws } = each.connector;
  const s3 = await clients.s3();
  const put = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket: aws.names.bucket, Key, Body }));
  await put(LETTER, '{"reason":"oversize","stream":"dns-blocks","connector":"acme","row":{"id":"block-1"}}\n');
  await put(STUCK, '{"reason":"no-id","stream":"assets","connector":"acme","row":{"hostname":"web-01"}}\n');
  const [line = ''] = await each.connector.lines();
  const error = { errorCode: 'Splunk.AckTimeout', errorMessage: 'No acknowledgement in 300 s.', rawData: btoa(line) };
  await put(ERROR, `${JSON.stringify({ attemptsMade: 5, arrivalTimestamp: Date.now(), ...error })}\n`);
  for (let start = 0; start < 3; start++) startLost(each, '{}');
  const announcement = { body: '{"Records":[]}', sourceArn: each.stack.outputs['SiemQueueArn']! };
  each.stack.queues.send(sqsQueueName(each.stack.outputs['SiemDeadLetterQueueUrl']), announcement);
}
