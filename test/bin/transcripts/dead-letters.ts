import { gzipSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { CommandPage } from '../cli-reference/command-page.ts';
import type { Deployment } from '../support/deployment.ts';
import { sqsQueueName, startLost } from '../support/queues.ts';

const OVERSIZE = 'dead-letter/acme/dns-blocks/oversize/5e0c1f7a92d84b36a1f05d7be8c94f20.json';
const STUCK = 'dead-letter/acme/assets/no-id/1b7d3c9e4a5f60728394a5b6c7d8e9f0.json';
const ERROR = 'delivery-errors/splunk-failed/2026/11/20/12/acme-1-2026-11-20-12-00-00';

/** The event that the function sent in place of the oversize row. */
const NOTICE =
  `{"event_id":"3f0c","sequence":"${'1'.repeat(20)}","kind":"oversize","stream":"dns-blocks","id":"block-1","time":null,` +
  `"stream_position":null,"connector":"acme","forwarded_at":"2026-11-20T12:00:00.000Z","dead_letter":"s3://security-data/${OVERSIZE}"}\n`;

export const deadLetters: CommandPage = {
  command: 'dead-letters',
  scenes: [
    { before: createDeadLetters, args: ['dead-letters', 'list'] },
    { args: ['dead-letters', 'show', ERROR] },
    { args: ['dead-letters', 'show', STUCK] },
    { args: ['dead-letters', 'show', 'schedule-dead-letters'] },
    { args: ['dead-letters', 'show', 'siem-dead-letters'] },
    { args: ['dead-letters', 'redrive', '--all', '--yes'] },
    { args: ['dead-letters', 'load', OVERSIZE, '--yes'] },
  ],
};

async function createDeadLetters(each: Deployment): Promise<void> {
  await each.run();
  const { clients, aws } = each.connector;
  const s3 = await clients.s3();
  const put = (Key: string, Body: string | Buffer) =>
    s3.send(new PutObjectCommand({ Bucket: aws.names.bucket, Key, Body }));
  await put(OVERSIZE, '{"reason":"oversize","stream":"dns-blocks","connector":"acme","row":{"id":"block-1"}}\n');
  const hour = new Date().toISOString().slice(0, 13).replaceAll(/[-T]/g, '/');
  await put(`events/${hour}/notice.json.gz`, gzipSync(NOTICE));
  await put(STUCK, '{"reason":"no-id","stream":"assets","connector":"acme","row":{"hostname":"web-01"}}\n');
  const [line = ''] = await each.connector.lines();
  const error = { errorCode: 'Splunk.AckTimeout', errorMessage: 'No acknowledgement in 300 s.', rawData: btoa(line) };
  await put(ERROR, `${JSON.stringify({ attemptsMade: 5, arrivalTimestamp: Date.now(), ...error })}\n`);
  for (let start = 0; start < 3; start++) startLost(each, '{}');
  const notification = { body: '{"Records":[]}', sourceArn: each.stack.outputs['SiemQueueArn']! };
  each.stack.queues.send(sqsQueueName(each.stack.outputs['SiemDeadLetterQueueUrl']), notification);
}
