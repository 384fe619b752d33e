/**
 * The commands of S3 that the function uses, loaded at the first batch. The bundle holds only what is named here. With `import()` of the package itself
 * it would hold all of it.
 */
import {
  DeleteObjectCommand,
  type DeleteObjectCommandInput,
  GetObjectCommand,
  type GetObjectCommandInput,
  NoSuchKey,
  PutObjectCommand,
  type PutObjectCommandInput,
  type PutObjectCommandOutput,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { IncompleteAnswerError } from '../core/errors.ts';

/** S3 names every object that it has stored by its ETag. Any other answer with the status 200, such as the page of a proxy, stores nothing. */
export function createS3Client(config: S3ClientConfig): S3Client {
  const client = new S3Client(config);
  client.middlewareStack.add(
    (next, { commandName }) =>
      async call => {
        const result = await next(call);
        const { ETag } = result.output as PutObjectCommandOutput;
        if (commandName === 'PutObjectCommand' && !ETag)
          throw new IncompleteAnswerError('S3', 'PutObject', 'without ETag');
        return result;
      },
    { step: 'initialize' },
  );
  return client;
}

export const putObject = (input: PutObjectCommandInput): PutObjectCommand => new PutObjectCommand(input);

export const getObject = (input: GetObjectCommandInput): GetObjectCommand => new GetObjectCommand(input);

export const deleteObject = (input: DeleteObjectCommandInput): DeleteObjectCommand => new DeleteObjectCommand(input);

/** Whether S3 has no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof NoSuchKey || (error instanceof Error && error.name === 'NoSuchKey');
}
