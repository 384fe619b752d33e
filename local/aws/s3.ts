import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ObjectStore } from './object-store.ts';
import { element, XML_DECLARATION } from './protocols.ts';
import { AwsError, type Operation } from './service.ts';
import type { Reply, Service, WireRequest } from './wire.ts';

interface S3Operation extends Operation {
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
}

/** The IAM action for each action of this endpoint. */
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
 * S3, path-style, with the actions that dead letters and reading them need. Metadata, content types and versions are not kept.
 *
 * @param notifications by bucket, read at every call; no event is sent
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

const MOST_KEYS = 1000;

interface Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  readonly last?: string;
}

/** One page of ListObjectsV2 for the parameters of its query. @throws AwsError NoSuchBucket, InvalidArgument */
async function listObjects(store: ObjectStore, bucket: string, query: URLSearchParams) {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const maxKeys = Math.min(readMaxKeys(query.get('max-keys')), MOST_KEYS);
  const after = readToken(query.get('continuation-token')) ?? query.get('start-after') ?? '';
  const keys = await store.keys(bucket, prefix);
  const page = cutPage(
    keys.filter(key => Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0),
    prefix,
    delimiter,
    maxKeys,
  );
  const objects = await Promise.all(
    page.keys.map(async key => {
      const { bytes, modified } = await store.get(bucket, key);
      return { key, size: bytes.length, modified, etag: etagOf(bytes) };
    }),
  );
  /** Where the next page starts; absent on the last one. */
  const nextToken = page.last === undefined ? undefined : Buffer.from(page.last).toString('base64url');
  return { bucket, prefix, delimiter, maxKeys, objects, commonPrefixes: page.prefixes, nextToken };
}

export function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

/** Keys that share a prefix up to the delimiter count as one entry, and a page ends after all of them. */
function cutPage(keys: readonly string[], prefix: string, delimiter: string, maxKeys: number): Page {
  // For a limit of 0, S3 reports a complete list.
  if (maxKeys === 0) return { keys: [], prefixes: [] };
  const own: string[] = [];
  const groups = new Set<string>();
  let last = '';
  for (const key of keys) {
    const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
    const group = end < 0 ? undefined : key.slice(0, end + delimiter.length);
    const grouped = group !== undefined && groups.has(group);
    if (!grouped && own.length + groups.size >= maxKeys) return { keys: own, prefixes: [...groups], last };
    if (group === undefined) own.push(key);
    else groups.add(group);
    last = key;
  }
  return { keys: own, prefixes: [...groups] };
}

function readMaxKeys(text: string | null): number {
  if (text === null) return MOST_KEYS;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AwsError(400, 'InvalidArgument', 'Provided max-keys not an integer or within integer range');
}

function readToken(text: string | null): string | undefined {
  return text === null ? undefined : Buffer.from(text, 'base64url').toString();
}

/** Checksum of the content as S3 writes it: base64 of the big-endian bytes. */
export function crc32Base64(content: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(content));
  return bytes.toString('base64');
}

const CHECKSUMS: Readonly<Record<string, (content: Buffer) => string>> = {
  'x-amz-checksum-crc32': crc32Base64,
  'x-amz-checksum-sha1': content => createHash('sha1').update(content).digest('base64'),
  'x-amz-checksum-sha256': content => createHash('sha256').update(content).digest('base64'),
};

/** The unchunked content of a PutObject. Checks every checksum that the request carries. @throws AwsError */
export function readContent({ headers, body }: WireRequest): Buffer {
  const chunked = String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-');
  const { content, trailers } = chunked ? unchunk(body) : { content: body, trailers: new Map<string, string>() };
  checkLength(headers['x-amz-decoded-content-length'], content);
  for (const [name, value] of [...Object.entries(headers), ...trailers]) {
    if (name.startsWith('x-amz-checksum-') && name !== 'x-amz-checksum-algorithm') checkChecksum(name, value, content);
  }
  for (const name of String(headers['x-amz-trailer'] ?? '')
    .split(',')
    .filter(Boolean)) {
    if (!trailers.has(name.trim())) throw new AwsError(400, 'MalformedTrailerError', `The trailer ${name} is missing.`);
  }
  checkDigest(headers['content-md5'], createHash('md5').update(content).digest('base64'), 'BadDigest');
  const sha256 = headers['x-amz-content-sha256'];
  if (/^[0-9a-f]{64}$/.test(String(sha256))) {
    checkDigest(sha256, createHash('sha256').update(content).digest('hex'), 'XAmzContentSHA256Mismatch');
  }
  return content;
}

function checkLength(length: string | string[] | undefined, content: Buffer): void {
  if (length === undefined || Number(length) === content.length) return;
  throw new AwsError(400, 'IncompleteBody', 'The content is not as long as x-amz-decoded-content-length says.');
}

function checkChecksum(name: string, value: string | string[] | undefined, content: Buffer): void {
  const checksum = CHECKSUMS[name];
  if (!checksum) throw new AwsError(501, 'NotImplemented', `${name} is not among the checksums of this endpoint.`);
  checkDigest(value, checksum(content), 'BadDigest');
}

function checkDigest(given: string | string[] | undefined, actual: string, code: string): void {
  if (given === undefined || given === actual) return;
  throw new AwsError(400, code, 'The checksum that came with the content is not that of the content.');
}

export interface Unchunked {
  readonly content: Buffer;
  /** Trailing headers, names in lower case. */
  readonly trailers: ReadonlyMap<string, string>;
}

/**
 * Decodes the `aws-chunked` content encoding, in which the SDKs send a body with its checksum behind it:
 * `<hex length>[;chunk-signature=…]\r\n<bytes>\r\n … 0\r\n[name:value\r\n …]\r\n`.
 */
export function unchunk(body: Buffer): Unchunked {
  const parts: Buffer[] = [];
  let offset = 0;
  for (;;) {
    const [line, next] = readLine(body, offset);
    const hex = /^([0-9a-f]{1,8})(;|$)/i.exec(line)?.[1];
    if (hex === undefined) throw incomplete('A chunk has no length.');
    const length = Number.parseInt(hex, 16);
    if (length === 0) return { content: Buffer.concat(parts), trailers: readTrailers(body, next) };
    parts.push(body.subarray(next, next + length));
    offset = next + length + 2;
    if (body.toString('latin1', offset - 2, offset) !== '\r\n') throw incomplete('A chunk is shorter than it says.');
  }
}

function readTrailers(body: Buffer, start: number): Map<string, string> {
  const trailers = new Map<string, string>();
  let offset = start;
  while (offset < body.length) {
    const [line, next] = readLine(body, offset);
    const colon = line.indexOf(':');
    if (colon > 0) trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
    offset = next;
  }
  return trailers;
}

function readLine(body: Buffer, start: number): [line: string, next: number] {
  const end = body.indexOf('\r\n', start);
  if (end < 0) throw incomplete('The chunked body ends in the middle of a line.');
  return [body.toString('latin1', start, end), end + 2];
}

function incomplete(message: string): AwsError {
  return new AwsError(400, 'IncompleteBody', message);
}

/** An entry of a bucket's event notifications. Filters and event types have S3's names. */
export interface BucketNotification {
  readonly target: 'Queue' | 'Topic' | 'CloudFunction';
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

export function notificationsXml({ entries, eventBridge = false }: BucketNotifications): string {
  const parts = entries.map((entry, place) => {
    const name = `${entry.target}Configuration`;
    return `<${name}>${entryXml(entry, place)}</${name}>`;
  });
  const bridge = eventBridge ? '<EventBridgeConfiguration></EventBridgeConfiguration>' : '';
  const body = parts.join('') + bridge;
  return `${XML_DECLARATION}<NotificationConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${body}</NotificationConfiguration>`;
}

function entryXml({ target, arn, events, prefix, suffix }: BucketNotification, place: number): string {
  // S3 returns the names of filters capitalized, however they were written.
  const rules = [
    ['Prefix', prefix],
    ['Suffix', suffix],
  ].flatMap(([name, value]) =>
    value === undefined ? [] : [`<FilterRule>${element('Name', name!)}${element('Value', value)}</FilterRule>`],
  );
  const filter = rules.length > 0 ? `<Filter><S3Key>${rules.join('')}</S3Key></Filter>` : '';
  return [
    element('Id', `10ca1000-0000-4000-8000-${String(place).padStart(12, '0')}`),
    filter,
    element(target, arn),
    ...events.map(event => element('Event', event)),
  ].join('');
}

type Listing = Awaited<ReturnType<typeof listObjects>>;

export function errorXml({ code, message }: AwsError, resource: string): string {
  const members = element('Code', code) + element('Message', message) + element('Resource', resource);
  return `${XML_DECLARATION}<Error>${members}${element('RequestId', crypto.randomUUID())}</Error>`;
}

export function listingXml(listing: Listing): string {
  const { bucket, prefix, delimiter, maxKeys, objects, commonPrefixes, nextToken } = listing;
  const head = [
    element('Name', bucket),
    element('Prefix', prefix),
    delimiter ? element('Delimiter', delimiter) : '',
    element('MaxKeys', String(maxKeys)),
    element('KeyCount', String(objects.length + commonPrefixes.length)),
    element('IsTruncated', String(nextToken !== undefined)),
    nextToken === undefined ? '' : element('NextContinuationToken', nextToken),
  ];
  const contents = objects.map(object => `<Contents>${contentsXml(object)}</Contents>`);
  const prefixes = commonPrefixes.map(each => `<CommonPrefixes>${element('Prefix', each)}</CommonPrefixes>`);
  const body = [...head, ...contents, ...prefixes].join('');
  return `${XML_DECLARATION}<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${body}</ListBucketResult>`;
}

function contentsXml({ key, size, modified, etag }: Listing['objects'][number]): string {
  const members = [
    element('Key', key),
    element('LastModified', modified.toISOString()),
    element('ETag', etag),
    element('Size', String(size)),
    element('StorageClass', 'STANDARD'),
  ];
  return members.join('');
}
