/** The same commands to moto and to the local services. */

import { PutRecordBatchCommand } from '@aws-sdk/client-firehose';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3ServiceException } from '@aws-sdk/client-s3';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Sender } from '../../../lambda/aws.ts';
import { LOCAL_NAMES, type LocalAws, openLocalAws } from '../../../local/aws/local-aws.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/parts/temporary-folder.ts';
import { part } from '../running.ts';
import { type MotoResources, motoResources } from './support/moto-resources.ts';
import { motoClients } from './support/real-aws.ts';

const { url } = part('moto');
const moto = motoClients(url);
const { secret: SecretId, deliveryStream: DeliveryStreamName, deadLetterBucket: Bucket } = LOCAL_NAMES;
let folder: TemporaryFolder;
let local: LocalAws;
let resources: MotoResources;
beforeAll(async () => {
  folder = await temporaryFolder('differences-');
  local = await openLocalAws({ directory: folder.path, secret: 'one' });
  resources = await motoResources(url, LOCAL_NAMES, 'one');
  local.secret.put('two');
  await resources.putSecret('two');
});
afterAll(async () => {
  await resources.close();
  for (const client of Object.values(moto)) client.destroy();
  await folder[Symbol.asyncDispose]();
});

/** The answer without its random values, or status and name of the error. */
async function outcomeOf(client: Sender, command: object): Promise<object> {
  try {
    const { Body, SecretString, VersionStages, FailedPutCount, RequestResponses, ETag } = await client.send(command);
    const records = RequestResponses?.map(({ RecordId }: { readonly RecordId?: unknown }) => typeof RecordId);
    const text = Body && Buffer.from(await Body.transformToByteArray()).toString();
    return { text, ETag, SecretString, VersionStages, FailedPutCount, records };
  } catch (error) {
    const { name, $metadata: { httpStatusCode } = {} } = error as S3ServiceException;
    return { name, httpStatusCode };
  }
}

const secret = new GetSecretValueCommand({ SecretId });
const records = (count: number, text: string, stream = DeliveryStreamName) =>
  new PutRecordBatchCommand({ DeliveryStreamName: stream, Records: Array(count).fill({ Data: Buffer.from(text) }) });
const put = (Key: string, bucket = Bucket) => new PutObjectCommand({ Bucket: bucket, Key, Body: 'text' });
const get = (Key: string) => new GetObjectCommand({ Bucket, Key });

test.each<[string, 'secrets' | 'firehose' | 's3', object]>([
  ['the current secret', 'secrets', secret],
  ['a record', 'firehose', records(1, 'a\n')],
  ['500 records', 'firehose', records(500, 'a\n')],
  ['an empty record', 'firehose', records(1, '')],
  ['a missing delivery stream', 'firehose', records(1, 'a', 'none')],
  ['an object', 's3', put('o/a.json')],
  ['a read of the object', 's3', get('o/a.json')],
  ['a missing object', 's3', get('o/none')],
  ['a missing bucket', 's3', put('a', 'no-such-bucket')],
  ['keys that a file system would refuse', 's3', put('o/..//b')],
  ['keys that are not ASCII', 's3', put('o/ключ 🔑 +&')],
  ['keys that sort by their bytes', 's3', put('o/\uff5e')],
])('the local services and Moto give the same answer to %s', async (_what, service, command) => {
  const client = service === 's3' ? await local.clients.s3() : local.clients[service];
  expect(await outcomeOf(client, command)).toEqual(await outcomeOf(moto[service], command));
});

test('the local bucket and Moto list keys in the same order', async () => {
  const { Contents = [] } = await moto.s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'o/' }));
  expect(await local.store.keys(Bucket, 'o/')).toEqual(Contents.map(({ Key }) => Key));
});
