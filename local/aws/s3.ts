import { AwsError } from './aws-error.ts';
import type { ObjectStore } from './object-store.ts';
import type { Operation } from './operation.ts';
import { crc32Base64, readContent } from './s3-body.ts';
import { etagOf, listObjects } from './s3-listing.ts';
import { type BucketNotifications, notificationsXml } from './s3-notifications.ts';
import { errorXml, listingXml } from './s3-xml.ts';
import type { Reply, Service, WireRequest } from './wire.ts';

interface S3Operation extends Operation {
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** The IAM action that allows each of the actions that this endpoint knows. */
const PERMISSIONS = {
  PutObject: 's3:PutObject',
  GetObject: 's3:GetObject',
  HeadObject: 's3:GetObject',
  DeleteObject: 's3:DeleteObject',
  ListObjectsV2: 's3:ListBucket',
  HeadBucket: 's3:ListBucket',
  GetBucketNotificationConfiguration: 's3:GetBucketNotification',
} as const;

type Action = keyof typeof PERMISSIONS;

/**
 * S3, path-style, with what dead letters and reading back need. Metadata, content types and versions are not kept.
 *
 * @param notifications by bucket, read at every call; nobody is told of anything
 */
export function createS3(
  store: ObjectStore,
  region: string,
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
    async perform(operation, request) {
      const { action, bucket } = operation;
      if (action === 'HeadBucket') return headBucket(store, region, operation);
      if (action !== 'GetBucketNotificationConfiguration') return perform(store, operation, request);
      await headBucket(store, region, operation);
      return xmlReply(notificationsXml(notifications.get(bucket) ?? { entries: [] }));
    },
    refusal: (error, { method, url }) => ({
      status: error.status,
      headers: { 'content-type': 'application/xml' },
      body: method === 'HEAD' ? '' : errorXml(error, url.split('?')[0] ?? ''),
    }),
  };
}

async function perform(store: ObjectStore, operation: S3Operation, request: WireRequest): Promise<Reply> {
  const { action, bucket, key, query } = operation;
  if (action === 'PutObject') return putObject(store, operation, request);
  if (action === 'ListObjectsV2') {
    return xmlReply(listingXml(await listObjects(store, bucket, query)));
  }
  if (action === 'DeleteObject') {
    await store.delete(bucket, key);
    return { status: 204, headers: {}, body: '' };
  }
  const { bytes, modified } = await store.get(bucket, key);
  const headers = {
    'content-type': 'binary/octet-stream',
    'last-modified': modified.toUTCString(),
    etag: etagOf(bytes),
    'x-amz-checksum-crc32': crc32Base64(bytes),
    'x-amz-checksum-type': 'FULL_OBJECT',
  };
  return { status: 200, headers, body: bytes };
}

function xmlReply(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

async function headBucket(store: ObjectStore, region: string, { bucket }: S3Operation): Promise<Reply> {
  if (await store.hasBucket(bucket)) return { status: 200, headers: { 'x-amz-bucket-region': region }, body: '' };
  throw new AwsError(404, 'NoSuchBucket', 'The specified bucket does not exist');
}

async function putObject(store: ObjectStore, { bucket, key }: S3Operation, request: WireRequest): Promise<Reply> {
  const content = readContent(request);
  if (request.headers['if-none-match'] === '*' && (await store.has(bucket, key))) {
    throw new AwsError(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  }
  await store.put(bucket, key, content);
  const headers = { etag: etagOf(content), 'x-amz-checksum-crc32': crc32Base64(content) };
  return { status: 200, headers, body: '' };
}

function actionOf(method: string, key: string, query: URLSearchParams): Action {
  if (key !== '' && method === 'PUT') return 'PutObject';
  if (key !== '' && method === 'GET') return 'GetObject';
  if (key !== '' && method === 'HEAD') return 'HeadObject';
  if (key !== '' && method === 'DELETE') return 'DeleteObject';
  if (key === '' && method === 'HEAD') return 'HeadBucket';
  if (key === '' && method === 'GET' && query.get('list-type') === '2') return 'ListObjectsV2';
  if (key === '' && method === 'GET' && query.has('notification')) return 'GetBucketNotificationConfiguration';
  throw new AwsError(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented');
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
