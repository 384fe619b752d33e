import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ObjectStore, StoredObject } from '../../local/aws/object-store.ts';
import { AwsError, type ServiceOperation, type WireRequest } from '../../local/aws/service.ts';
import { element, XML_DECLARATION } from './protocols.ts';
import type { Reply, Service } from './wire.ts';

interface S3Operation extends ServiceOperation {
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** The IAM action for each action of this endpoint. */
const PERMISSIONS = {
  PutObject: 's3:PutObject',
  GetObject: 's3:GetObject',
  DeleteObject: 's3:DeleteObject',
  DeleteObjectVersion: 's3:DeleteObjectVersion',
  ListObjectsV2: 's3:ListBucket',
  GetBucketNotificationConfiguration: 's3:GetBucketNotification',
} as const;

type Action = keyof typeof PERMISSIONS;

/**
 * S3, path-style, with the actions that dead letters and reading them need. Metadata, content types and versions are not kept.
 *
 * @param notifications by bucket, read at every call; no event is sent
 */
export function createS3(
  store: ObjectStore,
  notifications: ReadonlyMap<string, BucketNotifications> = new Map(),
): Service<S3Operation> {
  return {
    name: 's3',
    unsigned: new AwsError(403, 'AccessDenied', 'Access Denied'),
    understand(request) {
      const { bucket, key, query } = readAddress(request);
      const action = actionOf(request.method, key, query);
      const resource = `arn:aws:s3:::${key === '' ? bucket : `${bucket}/${key}`}`;
      return { action, permission: PERMISSIONS[action], resource, bucket, key, query };
    },
    perform: (operation, request) => perform(store, notifications, operation, request),
    refusal: (error, { url }) => ({
      status: error.status,
      headers: { 'content-type': 'application/xml' },
      body: errorXml(error, url.split('?')[0] ?? ''),
    }),
  };
}

async function perform(
  store: ObjectStore,
  notifications: ReadonlyMap<string, BucketNotifications>,
  { action, bucket, key, query }: S3Operation,
  request: WireRequest,
): Promise<Reply> {
  switch (action) {
    case 'PutObject':
      return putObject(store, bucket, key, request);
    case 'GetObject': {
      const { bytes, modified } = await store.get(bucket, key);
      const headers = { 'last-modified': modified.toUTCString(), etag: etagOf(bytes) };
      return { status: 200, headers: { 'content-type': 'binary/octet-stream', ...headers }, body: bytes };
    }
    case 'DeleteObject':
    case 'DeleteObjectVersion':
      await store.delete(bucket, key);
      return { status: 204, headers: {}, body: '' };
    case 'ListObjectsV2':
      return xmlReply(await listingXml(store, bucket, query));
    case 'GetBucketNotificationConfiguration':
      await store.requireBucket(bucket);
      return xmlReply(notificationsXml(notifications.get(bucket) ?? { entries: [] }));
    default:
      throw notImplemented();
  }
}

function xmlReply(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

/** Stands for the only version of an object: the buckets of a connector keep versions, and the function deletes a log with its version. */
const VERSION = 'only';

/** Checks the checksum that the SDK sends with a text or bytes. A body in chunks is not supported. */
async function putObject(
  store: ObjectStore,
  bucket: string,
  key: string,
  { headers, body }: WireRequest,
): Promise<Reply> {
  if (String(headers['x-amz-content-sha256']).startsWith('STREAMING-')) throw notImplemented();
  const checksum = headers['x-amz-checksum-crc32'];
  if (checksum !== undefined && checksum !== crc32Base64(body)) {
    const message = 'The CRC32 you specified did not match the calculated checksum.';
    throw new AwsError(400, 'BadDigest', message);
  }
  await store.put(bucket, key, body);
  return { status: 200, headers: { etag: etagOf(body), 'x-amz-version-id': VERSION }, body: '' };
}

function actionOf(method: string, key: string, query: URLSearchParams): Action {
  if (key !== '' && method === 'PUT') return 'PutObject';
  if (key !== '' && method === 'GET') return 'GetObject';
  if (key !== '' && method === 'DELETE') return query.has('versionId') ? 'DeleteObjectVersion' : 'DeleteObject';
  if (key === '' && method === 'GET' && query.get('list-type') === '2') return 'ListObjectsV2';
  if (key === '' && method === 'GET' && query.has('notification')) return 'GetBucketNotificationConfiguration';
  throw notImplemented();
}

function notImplemented(): AwsError {
  return new AwsError(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented');
}

function readAddress({ url }: WireRequest): { bucket: string; key: string; query: URLSearchParams } {
  const [path = '', query = ''] = url.split('?', 2);
  const [, bucket = '', ...key] = path.split('/');
  try {
    return {
      bucket: decodeURIComponent(bucket),
      key: decodeURIComponent(key.join('/')),
      query: new URLSearchParams(query),
    };
  } catch (cause) {
    throw new AwsError(400, 'InvalidURI', "Couldn't parse the specified URI.", { cause });
  }
}

const MOST_KEYS = 1000;

/** One page of keys. A token is the last key of the page before, because keys may come and go between pages. */
async function listingXml(store: ObjectStore, bucket: string, query: URLSearchParams): Promise<string> {
  const prefix = query.get('prefix') ?? '';
  const maxKeys = Math.min(Number(query.get('max-keys') ?? MOST_KEYS), MOST_KEYS);
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64url');
  const keys = (await store.keys(bucket, prefix)).filter(key => Buffer.compare(Buffer.from(key), after) > 0);
  const page = keys.slice(0, maxKeys);
  const isTruncated = keys.length > page.length;
  const contents = page.map(async key => `<Contents>${contentsXml(key, await store.get(bucket, key))}</Contents>`);
  const members = [
    element('Name', bucket),
    element('Prefix', prefix),
    element('MaxKeys', String(maxKeys)),
    element('KeyCount', String(page.length)),
    element('IsTruncated', String(isTruncated)),
    isTruncated ? element('NextContinuationToken', Buffer.from(page.at(-1) ?? '').toString('base64url')) : '',
    ...(await Promise.all(contents)),
  ];
  return `${XML_DECLARATION}<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${members.join('')}</ListBucketResult>`;
}

function contentsXml(key: string, { bytes, modified }: StoredObject): string {
  const members = [
    element('Key', key),
    element('LastModified', modified.toISOString()),
    element('ETag', etagOf(bytes)),
    element('Size', String(bytes.length)),
    element('StorageClass', 'STANDARD'),
  ];
  return members.join('');
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

/** Checksum of the content as S3 writes it: base64 of the big-endian bytes. */
function crc32Base64(content: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(content));
  return bytes.toString('base64');
}

/** A queue or topic that a bucket notifies. Events have S3's names. */
export interface BucketNotification {
  readonly arn: string;
  readonly events: readonly string[];
  readonly prefix?: string;
  readonly suffix?: string;
}

export interface BucketNotifications {
  readonly entries: readonly BucketNotification[];
  /** Whether every event goes to EventBridge. */
  readonly eventBridge?: boolean;
}

function notificationsXml({ entries, eventBridge = false }: BucketNotifications): string {
  const parts = entries.map(entryXml);
  const bridge = eventBridge ? '<EventBridgeConfiguration></EventBridgeConfiguration>' : '';
  const body = parts.join('') + bridge;
  return `${XML_DECLARATION}<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${body}</NotificationConfiguration>`;
}

function entryXml({ arn, events, prefix, suffix }: BucketNotification): string {
  const target = arn.split(':')[2] === 'sns' ? 'Topic' : 'Queue';
  // S3 returns the names of filters capitalized, however they were written.
  const rules = Object.entries({ Prefix: prefix, Suffix: suffix }).flatMap(([name, value]) =>
    value === undefined ? [] : [`<FilterRule>${element('Name', name)}${element('Value', value)}</FilterRule>`],
  );
  const filter = rules.length > 0 ? `<Filter><S3Key>${rules.join('')}</S3Key></Filter>` : '';
  const members = [element(target, arn), filter, ...events.map(event => element('Event', event))];
  return `<${target}Configuration>${members.join('')}</${target}Configuration>`;
}

function errorXml({ code, message }: AwsError, resource: string): string {
  const members = element('Code', code) + element('Message', message) + element('Resource', resource);
  return `${XML_DECLARATION}<Error>${members}${element('RequestId', crypto.randomUUID())}</Error>`;
}
