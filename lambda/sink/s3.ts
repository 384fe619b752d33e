/**
 * What the function uses of S3, loaded at the first dead letter. The bundle holds only what is named here. With `import()` of the package itself
 * it would hold all of it.
 */
import {
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
