/** Rows that cannot be sent, kept whole in S3: core/letter.ts says under which key, and how. */
import { DeadLetterError, RedriveError } from '../core/errors.ts';
import { letterBody, letterKey } from '../core/letter.ts';
import type { DeadLetter, DeadLetters, Guard } from '../ports.ts';
import { isOfTheGuard, persist, type Sender } from './aws-calls.ts';
import type { Patience } from './patience.ts';

export interface DeadLetterOptions {
  /** Made at the first dead letter: most runs have none, and the S3 client is the heaviest of all. */
  readonly client: () => Promise<Sender>;
  readonly bucket: string;
  readonly connector: string;
  readonly patience: Patience;
}

export function createDeadLetters({ client, bucket, connector, patience }: DeadLetterOptions): DeadLetters {
  const keyOf = (letter: DeadLetter) => letterKey(letter, connector);
  const send = async <T>(attempt: (s3: Sender) => Promise<T>, guard?: Guard): Promise<T> => {
    const s3 = await client();
    return persist(() => attempt(s3), patience, guard);
  };
  return {
    locate: letter => `s3://${bucket}/${keyOf(letter)}`,
    async store(letter, guard) {
      const { PutObjectCommand } = await import('@aws-sdk/client-s3');
      const place = { Bucket: bucket, Key: keyOf(letter) };
      const input = { ...place, Body: Buffer.from(letterBody(letter, connector)), ContentType: 'application/json' };
      await send(s3 => s3.send(new PutObjectCommand(input)), guard).catch(cause => {
        throw isOfTheGuard(cause) ? cause : new DeadLetterError({ cause });
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
    async remove(key, guard) {
      const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
      await send(s3 => s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })), guard).catch(cause => {
        throw isOfTheGuard(cause) ? cause : new RedriveError('deleted after its row was dealt with', { cause });
      });
    },
  };
}

/** The function may not list the bucket, so S3 answers "denied" for a missing object as well: the two cannot be told apart. */
function isMissingOrDenied(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'AccessDenied');
}
