import { createHash } from 'node:crypto';
import { AwsError } from './aws-error.ts';
import type { ObjectStore } from './object-store.ts';
import type { Listing } from './s3-xml.ts';

const MOST_KEYS = 1000;

interface Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  readonly last?: string;
}

/** One page of ListObjectsV2 for the parameters of its query. @throws AwsError NoSuchBucket, InvalidArgument */
export async function listObjects(store: ObjectStore, bucket: string, query: URLSearchParams): Promise<Listing> {
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
  const nextToken = page.last === undefined ? {} : { nextToken: Buffer.from(page.last).toString('base64url') };
  return { bucket, prefix, delimiter, maxKeys, objects, commonPrefixes: page.prefixes, ...nextToken };
}

export function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

/** A group of keys below one delimiter counts as one entry, and a page ends behind the whole group. */
function cutPage(keys: readonly string[], prefix: string, delimiter: string, maxKeys: number): Page {
  // Asked for nothing, S3 says that this is all.
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
