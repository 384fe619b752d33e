/** Stores rows that cannot be sent whole in S3. core/dead-letter.ts has key and body. */
import { deadLetterBody, deadLetterKey } from '../core/dead-letter.ts';
import { DeadLetterError } from '../core/errors.ts';
import type { DeadLetter, DeadLetters } from '../ports.ts';
import { type BucketOptions, bucketCall } from './bucket.ts';

export interface DeadLetterOptions extends BucketOptions {
  readonly connector: string;
}

export function createDeadLetters({ connector, ...options }: DeadLetterOptions): DeadLetters {
  const call = bucketCall(options);
  const keyOf = (deadLetter: DeadLetter) => deadLetterKey(deadLetter, connector);
  return {
    locate: deadLetter => `s3://${options.bucket}/${keyOf(deadLetter)}`,
    async store(deadLetter, assertLeaseValid) {
      const object = {
        Key: keyOf(deadLetter),
        Body: deadLetterBody(deadLetter, connector),
        ContentType: 'application/json',
      };
      const failed = (cause: unknown) => new DeadLetterError({ cause });
      await call(objects => objects.put(object), { before: assertLeaseValid, failed });
    },
  };
}
