/** The same requests to moto and to the embedded endpoints. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LOCAL_NAMES } from '../../../local/aws/local-aws.ts';
import { type Started, started } from '../../aws/started.ts';
import type { Reply } from '../../aws/wire.ts';
import { part } from '../running.ts';
import { forward } from './support/forward.ts';
import { type MotoResources, motoResources } from './support/moto-resources.ts';

const moto = part('moto');
const { secret: SecretId, deliveryStream: DeliveryStreamName, deadLetterBucket: bucket } = LOCAL_NAMES;
let embedded: Started;
let resources: MotoResources;
beforeAll(async () => {
  embedded = await started({ secret: 'one' });
  resources = await motoResources(moto.url, LOCAL_NAMES, 'one');
  embedded.aws.secret.put('two');
  await resources.putSecret('two');
});
afterAll(async () => {
  await embedded[Symbol.asyncDispose]();
  await resources.close();
});

interface Request {
  readonly service: 'SECRETS_MANAGER' | 'FIREHOSE' | 'S3';
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const SCOPES = { SECRETS_MANAGER: 'secretsmanager', FIREHOSE: 'firehose', S3: 's3' };

async function both({ service, method = 'POST', url = '/', headers = {}, body }: Request) {
  const credential = `local/20000101/us-east-1/${SCOPES[service]}/aws4_request`;
  const signed = {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
    ...headers,
  };
  const request = { method, url, headers: signed, body: Buffer.from(body) };
  const endpoints = [embedded.aws.environment[`AWS_ENDPOINT_URL_${service}`]!, moto.url];
  const [ours, theirs] = await Promise.all(endpoints.map(endpoint => forward(endpoint, request)));
  return { embedded: outcome(ours!), moto: outcome(theirs!) };
}

/** Status and code of a refusal, or an answer without its random values. */
function outcome({ status, body, headers }: Reply): readonly unknown[] {
  const text = String(body);
  if (status >= 400) return [status, /<Code>(\w+)/.exec(text)?.[1] ?? /"__type": ?"(\w+)/.exec(text)?.[1]];
  if (text.startsWith('{')) return [status, comparable(JSON.parse(text))];
  const names = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name);
  return [status, names(/<Key>([^<]*)/g), names(/<CommonPrefixes><Prefix>([^<]*)/g), headers['etag']];
}

function comparable({
  SecretString,
  VersionStages,
  FailedPutCount,
  RequestResponses,
  Encrypted,
}: Record<string, unknown>) {
  if (SecretString !== undefined) return { SecretString, VersionStages };
  const entries = RequestResponses as readonly Record<string, unknown>[];
  return { FailedPutCount, Encrypted, entries: entries.map(entry => typeof entry['RecordId']) };
}

const json = (service: Request['service'], target: string, body: object): Request => ({
  service,
  headers: { 'x-amz-target': target, 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(body),
});
const secret = (body: object) => json('SECRETS_MANAGER', 'secretsmanager.GetSecretValue', body);
const records = (body: object) => json('FIREHOSE', 'Firehose_20150804.PutRecordBatch', { DeliveryStreamName, ...body });
const record = (text: string) => ({ Data: Buffer.from(text).toString('base64') });
const batch = (count: number, text: string) => records({ Records: Array(count).fill(record(text)) });
const object = (method: string, path: string, body = '', headers = {}): Request => ({
  service: 'S3',
  method,
  url: `/${bucket}${path}`,
  headers,
  body,
});

test.each<[string, Request]>([
  ['the current secret', secret({ SecretId })],
  ['a record', batch(1, 'a\n')],
  ['500 records', batch(500, 'a\n')],
  ['a record of nothing', batch(1, '')],
  ['a delivery stream that is not there', records({ DeliveryStreamName: 'none', Records: [record('a')] })],
  ['an object', object('PUT', '/o/a.json', 'text')],
  ['an object read', object('GET', '/o/a.json')],
  ['an object that is not there', object('GET', '/o/none')],
  ['a bucket that is not there', { ...object('PUT', ''), url: '/no-such-bucket/a' }],
  ['keys that a file system would mind', object('PUT', '/o/%2E%2E//b', 'text')],
  ['keys that are no ASCII', object('PUT', `/o/${encodeURIComponent('ключ 🔑 +&')}`, 'text')],
  ['keys that sort by their bytes', object('PUT', `/o/${encodeURIComponent('\uff5e')}`, 'text')],
  ['a list', object('GET', '?list-type=2&prefix=o/')],
  ['a list of two', object('GET', '?list-type=2&prefix=o/&max-keys=2')],
])('the same: %s', async (_what, request) => {
  const { embedded: ours, moto: theirs } = await both(request);
  expect(ours).toEqual(theirs);
});
