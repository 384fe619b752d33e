/** Reads the objects of a bucket. */
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { type Aws, collectItems } from './aws.ts';
import type { Context } from './context.ts';
import { AwsCallError, awsCall, RefusedError } from './errors.ts';

export type StoredObject = Awaited<ReturnType<typeof listObjects>>[number];

/**
 * Lists the objects below a prefix, each with its key, its stored size and the time of its last
 * write in milliseconds since 1970.
 *
 * @throws AwsCallError
 */
export async function listObjects(aws: Aws, bucket: string, prefix: string) {
  const pages = paginateListObjectsV2({ client: aws.s3() }, { Bucket: bucket, Prefix: prefix });
  const found = await awsCall(
    collectItems(pages, page => page.Contents),
    `The bucket ${bucket} could not be listed`,
  );
  return found.map(({ Key: key = '', Size: bytes = 0, LastModified: modified }) => {
    return { key, bytes, since: modified?.getTime() ?? 0 };
  });
}

export type ObjectCount = Awaited<ReturnType<typeof countObjects>>;

/**
 * Counts the objects below a prefix in one call, up to 1,000. `more` says whether there are further
 * objects.
 *
 * @throws AwsCallError
 */
export async function countObjects(aws: Aws, bucket: string, prefix: string, most?: 1) {
  const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: most });
  const call = aws.s3().send(command);
  const { KeyCount = 0, IsTruncated = false } = await awsCall(call, `The bucket ${bucket} could not be listed`);
  return { count: KeyCount, more: IsTruncated };
}

const GZIP = [0x1f, 0x8b] as const;

/**
 * Reads an object in the connector's bucket, and decompresses it if the first bytes show gzip.
 *
 * @throws RefusedError if the object does not exist; AwsCallError
 */
export async function readObject({ aws, deployment }: Context, key: string): Promise<Buffer> {
  const { bucket } = await deployment();
  try {
    const { Body: body } = await aws.s3().send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const bytes = Buffer.from(await body!.transformToByteArray());
    return GZIP.every((byte, at) => bytes[at] === byte) ? gunzipSync(bytes) : bytes;
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'NoSuchKey') {
      throw new RefusedError(`There is no ${key} in the bucket ${bucket}. Nothing was done.`, { cause });
    }
    throw new AwsCallError(`${key} could not be read`, cause);
  }
}
