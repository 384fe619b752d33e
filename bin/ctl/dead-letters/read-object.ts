import { gunzipSync } from 'node:zlib';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { Context } from '../context.ts';
import { AwsCallError, RefusedError } from '../errors.ts';

const GZIP = [0x1f, 0x8b] as const;

/** The text of an object, unzipped where it is zipped: Firehose's error output says nowhere which. @throws RefusedError where there is none; AwsCallError */
export async function readObject(context: Context, key: string): Promise<string> {
  const { bucket } = await context.deployment();
  try {
    const { Body: body } = await context.aws.s3().send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const bytes = Buffer.from(await body!.transformToByteArray());
    return (GZIP.every((byte, at) => bytes[at] === byte) ? gunzipSync(bytes) : bytes).toString();
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'NoSuchKey') {
      throw new RefusedError(`There is no ${key} in the bucket ${bucket}. Nothing was done.`, { cause });
    }
    throw new AwsCallError(`${key} could not be read`, 'You need s3:GetObject on it.', cause);
  }
}
