/** Stores rows that cannot be sent whole in S3. core/dead-letter.ts has key and body. */

import { callAws, isLeaseError, type Sender } from '../aws.ts';
import { deadLetterBody, deadLetterKey } from '../core/dead-letter.ts';
import { DeadLetterError } from '../core/errors.ts';
import type { RetryBudget } from '../core/retry.ts';
import type { DeadLetter, DeadLetters } from '../ports.ts';

export interface DeadLetterOptions {
  /** Created at the first dead letter: most runs have none, and the S3 client is the heaviest. */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly connector: string;
  readonly retryBudget: RetryBudget;
}

export function createDeadLetters({ client, bucket, connector, retryBudget }: DeadLetterOptions): DeadLetters {
  const keyOf = (deadLetter: DeadLetter) => deadLetterKey(deadLetter, connector);
  return {
    locate: deadLetter => `s3://${bucket}/${keyOf(deadLetter)}`,
    async store(deadLetter, assertLeaseValid) {
      const { putObject } = await import('./s3.ts');
      const place = { Bucket: bucket, Key: keyOf(deadLetter) };
      const input = {
        ...place,
        Body: deadLetterBody(deadLetter, connector),
        ContentType: 'application/json',
      };
      const s3 = await client();
      const put = () => s3.send(putObject(input));
      await callAws(put, retryBudget, { before: assertLeaseValid }).catch(cause => {
        throw isLeaseError(cause) ? cause : new DeadLetterError({ cause });
      });
    },
  };
}
