/**
 * Makes the function's calls to S3. The file is loaded at the first batch. The bundle contains only
 * the names that are imported here, whereas an `import()` of the package itself would bundle all of
 * it.
 */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import type { Sender } from '../aws.ts';
import { IncompleteAnswerError } from '../core/errors.ts';

export function createS3Client(config: S3ClientConfig): S3Client {
  return new S3Client(config);
}

export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly version: string | undefined;
}

export interface BucketClient {
  /** @returns the version of the object, if the bucket keeps versions */
  put(object: Omit<PutObjectCommandInput, 'Bucket'>): Promise<string | undefined>;
  /** @returns undefined when there is no such object */
  get(key: string): Promise<StoredObject | undefined>;
  delete(key: string, version: string | undefined): Promise<void>;
}

export function createBucketClient(s3: Sender, Bucket: string): BucketClient {
  return {
    async put(object) {
      const { ETag, VersionId } = await s3.send(new PutObjectCommand({ Bucket, ...object }));
      // S3 returns an ETag for every object that it has stored. Any other answer with the status
      // 200, for example the page of a proxy, means that nothing was stored.
      if (!ETag) throw new IncompleteAnswerError('S3', 'PutObject', 'without ETag');
      return VersionId;
    },
    async get(Key) {
      try {
        const { Body, VersionId } = await s3.send(new GetObjectCommand({ Bucket, Key }));
        return { bytes: await Body.transformToByteArray(), version: VersionId };
      } catch (error) {
        if (error instanceof Error && error.name === 'NoSuchKey') return undefined;
        throw error;
      }
    },
    async delete(Key, VersionId) {
      await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
    },
  };
}
