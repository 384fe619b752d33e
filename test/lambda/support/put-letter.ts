import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Connector } from './connector.ts';

/** As it lay in the bucket had an earlier version not been able to send it. */
export async function putDeadLetter(each: Connector, place: string, row: string): Promise<string> {
  const [stream = '', reason = ''] = place.split('/');
  const Key = `dead-letter/acme/${stream}/${reason}/0a1b2c.json`;
  const Body = `{"reason":"${reason}","stream":"${stream}","connector":"acme","row":${row}}\n`;
  await (await each.clients.s3()).send(new PutObjectCommand({ Bucket: each.aws.names.deadLetterBucket, Key, Body }));
  return Key;
}
