/** Stores rows that cannot be sent whole in S3. core/dead-letter.ts has key and body. */

import { callAws, isLeaseError, type Sender } from '../aws.ts';
import { deadLetterBody, deadLetterKey } from '../core/dead-letter.ts';
import { DeadLetterError, RedriveError } from '../core/errors.ts';
import type { RetryBudget } from '../core/retry.ts';
import type { AssertLeaseValid, DeadLetter, DeadLetters } from '../ports.ts';

export interface DeadLetterOptions {
  /** Made at the first dead letter: most runs have none, and the S3 client is the heaviest of all. */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly connector: string;
  readonly retryBudget: RetryBudget;
}

export function createDeadLetters({ client, bucket, connector, retryBudget }: DeadLetterOptions): DeadLetters {
  const keyOf = (deadLetter: DeadLetter) => deadLetterKey(deadLetter, connector);
  const send = async <T>(attempt: (s3: Sender) => Promise<T>, assertLeaseValid?: AssertLeaseValid): Promise<T> => {
    const s3 = await client();
    return callAws(() => attempt(s3), retryBudget, { before: assertLeaseValid });
  };
  return {
    locate: deadLetter => `s3://${bucket}/${keyOf(deadLetter)}`,
    async store(deadLetter, assertLeaseValid) {
      const { PutObjectCommand } = await import('@aws-sdk/client-s3');
      const place = { Bucket: bucket, Key: keyOf(deadLetter) };
      const input = {
        ...place,
        Body: deadLetterBody(deadLetter, connector),
        ContentType: 'application/json',
      };
      await send(s3 => s3.send(new PutObjectCommand(input)), assertLeaseValid).catch(cause => {
        throw isLeaseError(cause) ? cause : new DeadLetterError({ cause });
      });
    },
    async read(key) {
      const { GetObjectCommand } = await import('@aws-sdk/client-s3');
      const command = new GetObjectCommand({ Bucket: bucket, Key: key });
      return send(async s3 => (await s3.send(command)).Body.transformToString()).catch(cause => {
        if (isMissingOrDenied(cause)) return undefined;
        throw new RedriveError('read', { cause });
      });
    },
    async remove(key, assertLeaseValid) {
      const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
      await send(s3 => s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })), assertLeaseValid).catch(
        cause => {
          throw isLeaseError(cause) ? cause : new RedriveError('deleted after its row was dealt with', { cause });
        },
      );
    },
  };
}

/** The function may not list the bucket, so S3 answers "denied" for a missing object as well: the two cannot be distinguished. */
function isMissingOrDenied(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'AccessDenied');
}
