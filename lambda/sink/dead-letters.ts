/**
 * Stores rows in S3 that cannot be sent whole. core/dead-letter.ts defines their keys and bodies.
 */
import { deadLetterBody, deadLetterKey } from '../core/dead-letter.ts';
import { DeadLetterError } from '../core/errors.ts';
import type { DeadLetter, DeadLetterStore } from '../ports.ts';
import { type BucketOptions, createBucketCall } from './bucket.ts';

export interface DeadLetterOptions extends BucketOptions {
  readonly connector: string;
}

export function createDeadLetterStore({ connector, ...options }: DeadLetterOptions): DeadLetterStore {
  const call = createBucketCall(options);
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
