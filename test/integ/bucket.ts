import { gunzipSync } from 'node:zlib';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';

const s3 = new S3Client({});

/** Every line that Firehose has delivered. Throws unless each object is gzipped and named so. */
export async function deliveredLines(Bucket: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: 'events/' })) {
    for (const { Key } of Contents) {
      if (!/^events\/\d{4}\/\d\d\/\d\d\/\d\d\/[^/]+\.json\.gz$/.test(Key!))
        throw new Error(`An object is named ${Key}`);
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      lines.push(
        ...gunzipSync(await Body!.transformToByteArray())
          .toString()
          .split('\n')
          .slice(0, -1),
      );
    }
  }
  return lines;
}

/** Deletes every version of every object: a bucket that holds one is not deleted. */
export async function empty(Bucket: string): Promise<void> {
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) return;
    const { Errors = [] } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    if (Errors.length > 0) throw new Error(`${Errors.length} objects of ${Bucket} could not be deleted`);
  }
}
