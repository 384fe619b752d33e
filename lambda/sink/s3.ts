/**
 * What the function uses of S3, loaded at the first dead letter. The bundle holds only what is named here. With `import()` of the package itself
 * it would hold all of it.
 */
import { PutObjectCommand, type PutObjectCommandInput, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

export const createS3Client = (config: S3ClientConfig): S3Client => new S3Client(config);

export const putObject = (input: PutObjectCommandInput): PutObjectCommand => new PutObjectCommand(input);
